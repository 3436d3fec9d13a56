/// Builds a small XML document in memory.
struct XMLWriter {
    private(set) var bytes = Bytes(#"<?xml version="1.0" encoding="UTF-8"?>"#) + [0x0A]

    mutating func open(_ name: StaticString) { tag("<", name) }

    mutating func close(_ name: StaticString) { tag("</", name) }

    /// An element with text, percent-encoded where XML can't carry it: a client can then at least read the rest.
    mutating func element(_ name: StaticString, _ text: Bytes) {
        open(name)
        bytes += XMLText.escape(XMLText.canCarry(text) ? text : PercentCoding.encode(text, keepsSlash: true))
        close(name)
    }

    mutating func element(_ name: StaticString, _ text: StaticString) { element(name, Bytes(text)) }

    mutating func element(_ name: StaticString, _ number: some BinaryInteger) {
        element(name, Bytes(String(number).utf8))
    }

    /// An element with elements inside.
    mutating func element(_ name: StaticString, content: (inout XMLWriter) -> Void) {
        open(name)
        content(&self)
        close(name)
    }

    private mutating func tag(_ start: StaticString, _ name: StaticString) {
        bytes += Bytes(start)
        bytes += Bytes(name)
        bytes.append(0x3E)
    }
}

/// What XML 1.0 can and can't carry.
enum XMLText {
    /// With the five special characters, and the blanks that a reader may normalise, as references.
    static func escape(_ text: Bytes) -> Bytes {
        var result: Bytes = []
        result.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case 0x26: result += Bytes("&amp;")
            case 0x3C: result += Bytes("&lt;")
            case 0x3E: result += Bytes("&gt;")
            case 0x22: result += Bytes("&quot;")
            case 0x27: result += Bytes("&apos;")
            case 0x09: result += Bytes("&#9;")
            case 0x0A: result += Bytes("&#10;")
            case 0x0D: result += Bytes("&#13;")
            default: result.append(byte)
            }
        }
        return result
    }

    /// True unless `text` has a character outside XML 1.0's set, which no escape can bring in: C0 controls but tab,
    /// line feed and carriage return, U+FFFE, U+FFFF, and bytes that are not UTF-8.
    static func canCarry(_ text: Bytes) -> Bool {
        guard text.isUTF8 else { return false }
        for (index, byte) in text.enumerated() {
            if byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D { return false }
            if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE { return false }
        }
        return true
    }
}
