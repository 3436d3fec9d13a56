import Credentials

/// Where the keys come from.
enum CredentialsChoice: Sendable, Equatable {
    case environment
    /// A password file.
    case file([UInt8])
    /// An auth server.
    case url([UInt8])

    static let forms = "environment, file:PATH, url:URL"

    /// Reads the value of the `credentials` option.
    init(_ value: OptionValue) throws(CommandError) {
        let bytes = value.bytes ?? []
        if bytes.elementsEqual("environment".utf8) {
            self = .environment
        } else if bytes.starts(with: "file:".utf8), bytes.count > 5 {
            self = .file(Array(bytes.dropFirst(5)))
        } else if bytes.starts(with: "url:".utf8) {
            let url = Array(bytes.dropFirst(4))
            guard Self.isURL(url) else {
                // The value isn't repeated: it may hold what is secret.
                throw CommandError(
                    .usage, "option credentials takes url:http://… or url:https://… without blanks, user and password")
            }
            self = .url(url)
        } else {
            // Nor here: somebody may have written a key.
            throw CommandError(.usage, "option credentials is one of \(Self.forms)")
        }
    }

    private static func isURL(_ url: [UInt8]) -> Bool {
        guard url.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        for scheme in ["https://", "http://"] where url.starts(with: scheme.utf8) {
            let authority = url.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
            return !authority.isEmpty && !authority.contains(UInt8(ascii: "@"))
        }
        return false
    }
}

extension OptionTable {
    static let credentialsOptions = OptionHeading(
        title: "Credentials",
        options: [
            OptionDefinition<MountOptions>(
                "credentials", value: "SOURCE", range: CredentialsChoice.forms, default: "environment",
                help: "where the keys come from: OSS_ACCESS_KEY_ID, OSS_ACCESS_KEY_SECRET and, for temporary keys, "
                    + "OSS_SESSION_TOKEN; a file of lines [BUCKET:]ID:SECRET with mode 600; or an auth server that gives "
                    + "temporary keys; never an argument, which every user of the machine can read"
            ) { options, value throws(CommandError) in options.credentials = try CredentialsChoice(value) },
            OptionDefinition<MountOptions>(
                "credentials-headers", value: "FILE", default: "none",
                help: "request headers for the auth server, a login token say: lines Name: value, mode 600"
            ) { options, value throws(CommandError) in options.credentialsHeaders = try value.path() },
            OptionDefinition<MountOptions>(
                "credentials-decoder", value: "COMMAND", default: "none",
                help: "reads the auth server's reply on its standard input and writes the JSON; run without a shell, "
                    + "words are split at blanks outside of quotes"
            ) { options, value throws(CommandError) in
                guard let words = CommandWords.split(try value.path()), !words.isEmpty else {
                    throw CommandError(.usage, "option credentials-decoder is a command whose quotes are closed")
                }
                options.credentialsDecoder = words
            },
        ])
}

/// A command line without a shell.
enum CommandWords {
    /// The words between blanks; 'quoted' and "quoted" parts stay whole. Nil where a quote isn't closed.
    static func split(_ line: [UInt8]) -> [[UInt8]]? {
        var words: [[UInt8]] = []
        var word: [UInt8]?
        var quote: UInt8?
        for byte in line {
            if let open = quote {
                if byte == open { quote = nil } else { word?.append(byte) }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
                word = word ?? []
            } else if byte == 0x20 || byte == 0x09 {
                if let ended = word { words.append(ended) }
                word = nil
            } else {
                word = (word ?? []) + [byte]
            }
        }
        guard quote == nil else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
