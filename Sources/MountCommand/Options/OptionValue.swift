/// A value as the user gave it, and how it becomes a number, a time or a word.
struct OptionValue: Sendable {
    /// The option's name, for messages.
    let name: String
    /// Nil where the option stood alone.
    let bytes: [UInt8]?

    /// The value as text; an error where it isn't UTF-8 or is empty.
    func text() throws(CommandError) -> String {
        guard let bytes, !bytes.isEmpty else { throw CommandError(.usage, "option \(name) needs a value") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, "the value of \(name) is not UTF-8")
        }
        return text
    }

    /// The value as a path: any bytes but none.
    func path() throws(CommandError) -> [UInt8] {
        guard let bytes, !bytes.isEmpty else { throw CommandError(.usage, "option \(name) needs a path") }
        return bytes
    }

    /// A switch: alone, or with on, yes, true, off, no, false.
    func flag() throws(CommandError) -> Bool {
        guard bytes != nil else { return true }
        switch try text() {
        case "on", "yes", "true": return true
        case "off", "no", "false": return false
        default: throw problem("is on or off")
        }
    }

    /// One of the words of `Words`.
    func word<Words: RawRepresentable & CaseIterable>() throws(CommandError) -> Words where Words.RawValue == String {
        let given = try text()
        if let word = Words(rawValue: given) { return word }
        throw problem("is one of " + Words.allCases.map(\.rawValue).joined(separator: ", "))
    }

    /// Bytes, within `range`.
    func size(in range: ClosedRange<Int64>) throws(CommandError) -> Int64 {
        guard let size = Quantity.size(try text()) else {
            throw problem("is a size like 512MiB (B, KiB, MiB, GiB, TiB)")
        }
        guard range.contains(size) else {
            throw problem(
                "is from \(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound))")
        }
        return size
    }

    /// A time, within `range`.
    func time(in range: ClosedRange<Duration>) throws(CommandError) -> Duration {
        guard let time = Quantity.time(try text()) else { throw problem("is a time like 10s (ms, s, m, h)") }
        guard range.contains(time) else {
            throw problem(
                "is from \(Quantity.text(time: range.lowerBound)) to \(Quantity.text(time: range.upperBound))")
        }
        return time
    }

    /// A whole number, within `range`.
    func number(in range: ClosedRange<UInt32>, radix: Int = 10) throws(CommandError) -> UInt32 {
        let given = try text()
        let isPlain = given.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard isPlain, let number = UInt32(given, radix: radix), range.contains(number) else {
            let bounds = (String(range.lowerBound, radix: radix), String(range.upperBound, radix: radix))
            throw problem("is \(radix == 8 ? "an octal" : "a whole") number from \(bounds.0) to \(bounds.1)")
        }
        return number
    }

    /// The usage error that the value `expected`: "is a power of two".
    func problem(_ expected: String) -> CommandError {
        CommandError(.usage, "option \(name) \(expected), not '\(printable(bytes ?? []))'")
    }
}
