@testable import MountCommand

/// Options written as arguments again.
enum OptionPrinter {
    enum Form { case separate, attached, list }

    /// The arguments that ask for the same; nil where the form can't say it.
    static func arguments(_ request: MountRequest, _ form: Form) -> [[UInt8]]? {
        var arguments: [[UInt8]] = []
        for (name, value) in settings(request.options) {
            let option = Array(name.utf8)
            switch form {
            case .separate:
                arguments.append(Array("--".utf8) + option)
                if let value { arguments.append(value) }
            case .attached: arguments.append(Array("--".utf8) + option + (value.map { [0x3D] + $0 } ?? []))
            case .list:
                // A backslash before a comma means the comma.
                guard let value else {
                    arguments += [Array("-o".utf8), option]
                    continue
                }
                let backslash = UInt8(ascii: "\\")
                let isSayable = !zip(value, value.dropFirst()).contains { $0 == backslash && $1 == UInt8(ascii: ",") }
                guard isSayable else { return nil }
                let escaped = value.flatMap { $0 == UInt8(ascii: ",") ? [backslash, $0] : [$0] }
                arguments += [Array("-o".utf8), option + [0x3D] + escaped]
            }
        }
        // mount(8)'s words are words of lists only.
        let options = request.options
        let words = options.kernelWords + (options.isReadOnlyByWord ? [options.isReadOnly ? "ro" : "ro,rw"] : [])
        if !words.isEmpty { arguments += [Array("-o".utf8), Array(words.joined(separator: ",").utf8)] }
        return arguments + [Array("--".utf8), request.bucket.text, request.directory]
    }

    /// Every option by its name; a switch that is off is said too.
    static func settings(_ options: MountOptions) -> [(name: String, value: [UInt8]?)] {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        let credentials: [UInt8] =
            switch options.credentials {
            case .environment: bytes("environment")
            case .file(let path): bytes("file:") + path
            case .url(let url): bytes("url:") + url
            }
        let texts: [(String, [UInt8]?)] = [
            ("endpoint", options.endpoint), ("region", options.region.map(bytes)), ("ca-file", options.caFile),
            ("addressing", bytes(options.addressing.rawValue)), ("signature", bytes(options.signature.rawValue)),
            ("credentials", credentials), ("credentials-headers", options.credentialsHeaders),
            ("credentials-decoder", options.credentialsDecoder.map(line)), ("log-file", options.logFile),
            ("memory", bytes(Quantity.text(bytes: options.memoryBytes))),
            ("metadata-ttl", bytes(Quantity.text(time: options.metadataTTL))),
            ("start-timeout", bytes(Quantity.text(time: options.startTimeout))),
            ("uid", options.uid.map { bytes(String($0)) }), ("gid", options.gid.map { bytes(String($0)) }),
            ("umask", bytes(String(options.umask, radix: 8))), ("log-level", bytes(options.logLevel.word.description)),
        ]
        let switches = [
            ("nonempty", options.allowsNonEmpty), ("read-only", options.isReadOnly),
            ("allow-other", options.allowsOthers), ("foreground", options.isForeground),
        ]
        var settings: [(name: String, value: [UInt8]?)] = []
        for (name, value) in texts { if let value { settings.append((name, value)) } }
        for (name, isOn) in switches where isOn { settings.append((name, nil)) }
        settings.append(("core-dumps", bytes(options.allowsCoreDumps ? "on" : "off")))
        return settings
    }

    /// A command line with these words.
    static func line(_ words: [[UInt8]]) -> [UInt8] {
        var line: [UInt8] = []
        for word in words {
            if !line.isEmpty { line.append(0x20) }
            // Within single quotes everything but them is itself; they stand in double ones.
            line.append(UInt8(ascii: "'"))
            for byte in word { line += byte == UInt8(ascii: "'") ? Array("'\"'\"'".utf8) : [byte] }
            line.append(UInt8(ascii: "'"))
        }
        return line
    }
}
