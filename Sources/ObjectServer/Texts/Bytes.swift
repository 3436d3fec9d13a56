/// Names, keys and header values: bytes, compared byte by byte and never as text.
package typealias Bytes = [UInt8]

extension Array where Element == UInt8 {
    /// The bytes of a text of our own.
    init(_ text: StaticString) { self = text.withUTF8Buffer { Array($0) } }

    func isEqual(to text: StaticString) -> Bool { text.withUTF8Buffer { elementsEqual($0) } }

    func hasPrefix(_ prefix: Bytes) -> Bool { starts(with: prefix) }

    func hasPrefix(_ text: StaticString) -> Bool { text.withUTF8Buffer { starts(with: $0) } }

    /// With A–Z turned to a–z and nothing else changed.
    var lowercasedASCII: Bytes { map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 } }

    /// Without blanks and tabs at either end.
    var trimmed: Bytes {
        guard let first = firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return [] }
        return Bytes(self[first...last])
    }

    var isUTF8: Bool { withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil } }

    /// The number written by decimal digits alone; nil for anything else, and above 2^64 − 1.
    var decimal: UInt64? {
        guard !isEmpty, allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        var value: UInt64 = 0
        for digit in self {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(digit - 0x30))
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// The text that this is, for printing and parsing; nil where it is not UTF-8.
    var text: String? { withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) } }

    /// The least byte string above all that start with this; nil where there is none (empty, or all 0xFF).
    var successorOfPrefix: Bytes? {
        var result = self
        while let last = result.last {
            if last < 0xFF {
                result[result.count - 1] = last + 1
                return result
            }
            result.removeLast()
        }
        return nil
    }
}

/// The order of keys: byte by byte, the shorter first.
func precedes(_ left: Bytes, _ right: Bytes) -> Bool { left.lexicographicallyPrecedes(right) }

/// `bytes` as hexadecimal digits.
func hexadecimal(_ bytes: some Sequence<UInt8>, upperCase: Bool = false) -> Bytes {
    let digits = Bytes(upperCase ? "0123456789ABCDEF" : "0123456789abcdef")
    var text: Bytes = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return text
}
