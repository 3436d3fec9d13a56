import FoundationEssentials

/// 32: replies of services have 3 levels.
private let maximumDepth = 32

/// A JSON document, as far as replies of servers need it.
///
/// Unlike elsewhere texts are Strings here: JSON is made of Unicode scalars, and what these replies carry is ASCII.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A whole number within 64 bits, however it is written.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The document; nil for anything that isn't one JSON value in UTF-8 (a comma after the last element is overlooked).
    ///
    /// The caller bounds its size.
    package init?(parsing bytes: [UInt8]) {
        // The decoder takes bytes 0 for a sign of UTF-16 or UTF-32, and its own bound on depth is more than a small stack
        // takes.
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil, Self.depth(bytes) <= maximumDepth,
            let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { return nil }
        self = value
    }

    /// How deep arrays and objects are nested at most; too deep for a document that isn't one.
    private static func depth(_ bytes: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
            deepest = max(deepest, depth)
        }
        return deepest
    }

    /// A member of an object; nil for anything else, and for null.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
        return value
    }

    /// The text of a string; nil for anything else.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, or a string that is one in decimal digits.
    package var wholeNumber: Int64? {
        switch self {
        case .integer(let number): number
        case .string(let text): Int64(text)
        default: nil
        }
    }
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}
