/// Sizes and times as users write them.
enum Quantity {
    private static let sizeUnits: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    private static let timeUnits: [(name: String, milliseconds: Int64)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Bytes of `512MiB`, `4KiB`, `100B` or `100`; nil for anything else.
    ///
    /// `MB` and `M` are refused: half of the readers take them for the other thing.
    static func size(_ text: String) -> Int64? {
        guard let (number, unit) = split(text) else { return nil }
        guard let factor = unit.isEmpty ? 1 : sizeUnits.first(where: { $0.name == unit })?.bytes else { return nil }
        return product(number, factor)
    }

    /// The time of `500ms`, `10s`, `5m`, `1h`, or `10`, which is seconds; nil for anything else.
    static func time(_ text: String) -> Duration? {
        guard let (number, unit) = split(text) else { return nil }
        let name = unit.isEmpty ? "s" : unit
        guard let factor = timeUnits.first(where: { $0.name == name })?.milliseconds else { return nil }
        return product(number, factor).map { .milliseconds($0) }
    }

    /// `512MiB`: in the largest unit that divides it.
    static func text(bytes: Int64) -> String {
        guard bytes != 0, let unit = sizeUnits.first(where: { bytes % $0.bytes == 0 }) else { return "0" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }

    /// `10s`: in the largest unit that divides it; what is below a millisecond is cut.
    static func text(time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0, let unit = timeUnits.first(where: { milliseconds % $0.milliseconds == 0 }) else {
            return "0"
        }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }

    private static func split(_ text: String) -> (number: Int64, unit: String)? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        return (number, String(text.dropFirst(digits.count)))
    }

    private static func product(_ number: Int64, _ factor: Int64) -> Int64? {
        let (result, overflows) = number.multipliedReportingOverflow(by: factor)
        return overflows ? nil : result
    }
}
