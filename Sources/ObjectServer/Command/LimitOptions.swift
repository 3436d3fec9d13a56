/// The options that change OSS's limits, so that tests meet them within seconds.
enum LimitOptions {
    private static let all: [(name: String, limit: WritableKeyPath<ServerLimits, UInt64> & Sendable, least: UInt64)] = [
        ("--part-limit", \.partCount, 1), ("--part-minimum", \.partMinimum, 0),
        ("--part-maximum", \.partMaximum, 1), ("--object-maximum", \.objectMaximum, 1),
        ("--key-bytes", \.keyBytes, 1), ("--skew", \.skewSeconds, 1),
        ("--restore-delay", \.restoreSeconds, 0),
    ]

    static func knows(_ name: String) -> Bool { all.contains { $0.name == name } }

    static func limits(_ values: [String: [String]]) throws(ServerOptions.UsageError) -> ServerLimits {
        var limits = ServerLimits()
        for option in all {
            guard let text = values[option.name]?.first else { continue }
            guard let number = number(text), number >= option.least, number < 1 << 62 else {
                throw ServerOptions.UsageError(
                    message: "\(option.name) takes a number of at least \(option.least), or one with KiB, MiB or GiB")
            }
            limits[keyPath: option.limit] = number
        }
        return limits
    }

    /// `100`, `100KiB`, `5MiB`, `1GiB`; nil for anything else.
    static func number(_ text: String) -> UInt64? {
        for (unit, shift) in [("KiB", 10), ("MiB", 20), ("GiB", 30)] where text.hasSuffix(unit) {
            guard let number = UInt64(text.dropLast(unit.count)), number < 1 << (63 - shift) else { return nil }
            return number << shift
        }
        return UInt64(text)
    }
}
