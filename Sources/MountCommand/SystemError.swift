import Glibc

/// The words of errno numbers.
enum SystemError {
    /// `No such file or directory` for ENOENT.
    static func text(_ number: Int32) -> String {
        var words = [CChar](repeating: 0, count: 128)
        strerror_r(number, &words, words.count)
        return String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
