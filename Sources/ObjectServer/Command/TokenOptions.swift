/// The options of the two services that give out temporary keys.
struct TokenOptions: Equatable {
    static let names = ["--token-seconds", "--auth-headers", "--auth-status", "--auth-encoding"]

    /// The life of temporary keys, at most.
    var seconds: UInt64 = 3600
    /// The file with the headers that the auth server demands: they may hold a login token, so not by argument.
    var headerFile: String?
    var auth = AuthServer.Options()

    init() {}

    init(_ values: [String: [String]]) throws(ServerOptions.UsageError) {
        if let text = values["--token-seconds"]?.first {
            guard let number = UInt64(text), (1...43_200).contains(number) else {
                throw ServerOptions.UsageError(message: "--token-seconds takes a number from 1 to 43200")
            }
            seconds = number
        }
        headerFile = values["--auth-headers"]?.first
        auth.writesStatusAsText = try Self.choice(values, "--auth-status", "number", "text")
        auth.encodesReply = try Self.choice(values, "--auth-encoding", "none", "base64")
    }

    /// True where the option has the second word.
    private static func choice(
        _ values: [String: [String]], _ name: String, _ first: String, _ second: String
    ) throws(ServerOptions.UsageError) -> Bool {
        guard let word = values[name]?.first else { return false }
        guard word == first || word == second else {
            throw ServerOptions.UsageError(message: "\(name) takes \(first) or \(second)")
        }
        return word == second
    }

    /// `Name: value` on each line; empty lines are passed over, nil where one is anything else.
    static func headers(_ text: Bytes) -> [AuthServer.Options.Header]? {
        var headers: [AuthServer.Options.Header] = []
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let pair = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            let name = Bytes(pair[0]).trimmed
            guard pair.count == 2, !name.isEmpty else { return nil }
            headers.append(.init(name: name.lowercasedASCII, value: Bytes(pair[1]).trimmed))
        }
        return headers
    }
}
