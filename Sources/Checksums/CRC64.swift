import CChecksums

/// The CRC-64/XZ of bytes that come piece by piece; a value, 8 bytes.
package struct CRC64: Hashable, Sendable {
    /// The CRC of all bytes so far; 0 for none.
    package private(set) var value: UInt64

    /// Goes on from `seed`, the value of the bytes before.
    package init(seed: UInt64 = 0) { value = seed }

    /// Takes the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        value = cchecksums_crc64(value, bytes.baseAddress, bytes.count)
    }

    /// Takes the next bytes.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The CRC of `bytes` alone.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        cchecksums_crc64(0, bytes.baseAddress, bytes.count)
    }

    /// The CRC of the bytes with CRC `a` followed by `lengthOfB` bytes with CRC `b`, without either; some microseconds.
    ///
    /// A negative length counts as none.
    package static func combine(_ a: UInt64, _ b: UInt64, lengthOfB: Int64) -> UInt64 {
        guard lengthOfB > 0 else { return a }
        // The bytes of `a` move up by eight bits for each of `b`: a · x^(8·length) + b.
        var shift = one
        var power = byteShift
        var remaining = UInt64(lengthOfB)
        while remaining > 0 {
            if remaining & 1 == 1 { shift = product(shift, power) }
            power = product(power, power)
            remaining >>= 1
        }
        return product(a, shift) ^ b
    }

    // Polynomials over GF(2) modulo ECMA-182's, reflected: bit i stands for x^(63-i).
    private static let polynomial: UInt64 = 0xC96C_5795_D787_0F42
    private static let one: UInt64 = 1 << 63
    private static let byteShift: UInt64 = 1 << 55

    private static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var sum: UInt64 = 0
        var shifted = right
        for bit in stride(from: 63, through: 0, by: -1) {
            if left >> UInt64(bit) & 1 == 1 { sum ^= shifted }
            shifted = (shifted >> 1) ^ (shifted & 1 == 1 ? polynomial : 0)
        }
        return sum
    }
}
