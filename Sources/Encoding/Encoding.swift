import COpenSSL

// Encoding: the text forms in which the services' protocols carry bytes, both ways.
//
// Parts: `PercentEncoding`, `Base64` and `Hexadecimal` for bytes; `XMLReader` and `XMLWriter` for documents; `JSONValue`,
// small replies as a tree; the dates of HTTP and of XML as an extension of `WallTime`.
//
// Invariants. Everything is bytes in and bytes out: no String holds what came from a server, as Swift's takes NFC and
// NFD for one text, CR LF for one character, and replaces what isn't UTF-8. Decoders are total: any input gives a
// value or nil (or a typed error), never a trap, and what they take they would write again the same way, apart from
// what their comments name. Nothing here depends on the locale or the time zone.
//
// XML is read as a stream with bounds on depth and bytes, without network, entities or document types: what a service
// never sends is refused at once. A control character in one element spoils that element, not the document.
//
// Deliberately not here: what the documents mean (that is the clients'), URLs as such (libcurl's).
//
// Libraries: OpenSSL for base64, libxml2 for reading XML, FoundationEssentials for JSON, glibc for calendar arithmetic. Percent-encoding is ours: the
// services sign its exact form, which no library promises.

/// Base64 of RFC 4648 with padding, without line breaks.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        // OpenSSL writes a terminating zero after the text.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return Array(text.prefix(Int(length)))
    }

    /// The bytes; nil for anything that `encode` would not have written.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4), text.count <= Int(Int32.max) else { return nil }
        guard !text.isEmpty else { return [] }
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
        guard Int(EVP_DecodeBlock(&bytes, text, Int32(text.count))) == bytes.count else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        bytes.removeLast(padding)
        // OpenSSL overlooks surrounding blanks, misplaced padding and bits beyond the last byte.
        return encode(bytes) == text ? bytes : nil
    }
}

/// Two hexadecimal digits for each byte.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Lower-case digits.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// The bytes, of digits in either case; nil for an odd number of digits or anything else.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
