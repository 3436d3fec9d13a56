/// Percent-encoding with the set that OSS signs: only `A-Z a-z 0-9 - _ . ~` stay, digits are upper-case.
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    private static let unreserved: [Bool] = {
        var table = [Bool](repeating: false, count: 256)
        for byte in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~".utf8 {
            table[Int(byte)] = true
        }
        return table
    }()

    /// The encoded bytes; with `keepingSlashes` a `/` stays too, as in a path.
    package static func encode(_ bytes: some Sequence<UInt8>, keepingSlashes: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount + 16)
        append(bytes, keepingSlashes: keepingSlashes, to: &text)
        return text
    }

    /// Appends the encoded bytes to `text`.
    package static func append(_ bytes: some Sequence<UInt8>, keepingSlashes: Bool = false, to text: inout [UInt8]) {
        let table = unreserved
        for byte in bytes {
            if table[Int(byte)] || keepingSlashes && byte == UInt8(ascii: "/") {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }

    /// The bytes behind `text`; what isn't an escape stays as it is. Nil where a `%` has no two digits after it.
    ///
    /// - Parameter plusIsSpace: reads `+` as a blank, as forms write it; right where a real plus is always escaped.
    package static func decode(_ text: [UInt8], plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < text.count, let high = Hexadecimal.value(of: text[index + 1]),
                    let low = Hexadecimal.value(of: text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return bytes
    }
}
