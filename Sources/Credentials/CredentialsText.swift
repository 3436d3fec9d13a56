import Glibc

/// Bytes as people may see them: what steers terminals stands as `?`, and so does what isn't ASCII where not all is UTF-8.
func printable(_ bytes: some Collection<UInt8>) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
        return String(bytes.map { (0x20..<0x7F).contains($0) ? Character(UnicodeScalar($0)) : "?" })
    }
    var visible = ""
    for scalar in text.unicodeScalars {
        // U+0080 to U+009F are control characters as well: U+009B begins what ESC [ does.
        let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        visible.unicodeScalars.append(isControl ? "?" : scalar)
    }
    return visible
}

/// The system's words for an errno.
func systemText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(validating: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        ?? "error \(number)"
}
