import Encoding

/// A JSON document written from a value, in a way of its own: what is read back must be the value.
enum JSONText {
    static func string(_ ascii: [UInt8]) -> JSONValue {
        .string(String(String.UnicodeScalarView(ascii.map { Unicode.Scalar($0) })))
    }

    static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
        case .null, .bool, .integer, .number, .string: 1
        }
    }

    /// Whether `again` is what `value` is written as: the same, but that a number's shortest form may be a whole one.
    static func isWritten(_ value: JSONValue, as again: JSONValue) -> Bool {
        switch (value, again) {
        case (.number(let number), .integer(let whole)): Double(whole) == number
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isWritten($0, as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isWritten(value, as: $0) } ?? false }
        case (let left, let right): left == right
        }
    }

    static func text(_ value: JSONValue) -> [UInt8] {
        var text: [UInt8] = []
        append(value, to: &text)
        return text
    }

    private static func append(_ value: JSONValue, to text: inout [UInt8]) {
        switch value {
        case .null: text += Array("null".utf8)
        case .bool(let bool): text += Array((bool ? "true" : "false").utf8)
        case .integer(let number): text += Array(String(number).utf8)
        // The shortest form that is read as the same number.
        case .number(let number): text += Array("\(number)".utf8)
        case .string(let string): append(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(element, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                append(member.value, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// With everything escaped that isn't printable ASCII: as its UTF-16, which is what escapes of JSON name.
    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for unit in string.utf16 {
            switch unit {
            case 0x20...0x7E where unit != 0x22 && unit != 0x5C: text.append(UInt8(unit))
            default:
                let digits = String(unit, radix: 16)
                text += Array(("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
