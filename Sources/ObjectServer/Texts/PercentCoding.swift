/// Percent-encoding as OSS signs it: all but `A-Z a-z 0-9 - _ . ~` becomes `%XX` in upper-case digits.
enum PercentCoding {
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    static func encode(_ bytes: some Sequence<UInt8>, keepsSlash: Bool = false) -> Bytes {
        let digits = Bytes("0123456789ABCDEF")
        var text: Bytes = []
        for byte in bytes {
            if isUnreserved(byte) || (keepsSlash && byte == 0x2F) {
                text.append(byte)
            } else {
                text += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return text
    }

    /// The bytes behind `text`; a percent sign that two digits don't follow stands for itself.
    static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> Bytes {
        let text = Bytes(text)
        var bytes: Bytes = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == 0x25, index + 2 < text.count, let high = digit(text[index + 1]), let low = digit(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
                index += 1
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
