import Glibc

/// Bytes as people may see them: what isn't printable ASCII or part of UTF-8 stands as `?`.
func printable(_ bytes: some Collection<UInt8>) -> String {
    let visible = bytes.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
    if let text = String(validating: visible, as: UTF8.self) { return text }
    return String(visible.map { $0 < 0x7F ? Character(UnicodeScalar($0)) : "?" })
}

/// The system's words for an errno.
func systemText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(validating: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        ?? "error \(number)"
}
