/// Writes a small document, element by element, without blanks between them.
package struct XMLWriter {
    /// The document so far.
    package private(set) var bytes: [UInt8] = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>".utf8)

    package init() {}

    /// An element with what `content` writes inside.
    package mutating func element(_ name: StaticString, _ content: (inout XMLWriter) -> Void) {
        tag(name, opening: "<")
        content(&self)
        tag(name, opening: "</")
    }

    /// An element with text, which must be one that XML can carry (`canCarry`).
    package mutating func element(_ name: StaticString, _ text: some Sequence<UInt8>) {
        tag(name, opening: "<")
        Self.appendEscaped(text, to: &bytes)
        tag(name, opening: "</")
    }

    private mutating func tag(_ name: StaticString, opening: StaticString) {
        opening.withUTF8Buffer { bytes.append(contentsOf: $0) }
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: ">"))
    }

    /// Appends `text` with markup escaped, and CR too, which a reader would turn into LF.
    package static func appendEscaped(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case 0x0D: bytes += Array("&#13;".utf8)
            default: bytes.append(byte)
            }
        }
    }

    /// Whether XML 1.0 can carry the bytes at all: UTF-8 without control characters but TAB, LF and CR, and without
    /// U+FFFE and U+FFFF. Keys that it can't must not go into a document.
    package static func canCarry(_ text: [UInt8]) -> Bool {
        let isText = text.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        guard isText else { return false }
        for (index, byte) in text.enumerated() {
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return false }
            // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
            if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE { return false }
        }
        return true
    }
}
