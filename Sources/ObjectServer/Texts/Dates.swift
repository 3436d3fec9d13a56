import CObjectServer
import Glibc

/// The four ways in which OSS writes a moment, in whole seconds since 1970.
enum Dates {
    static var now: Int64 { Int64(time(nil)) }

    /// `Mon, 21 Sep 2026 14:13:20 GMT`.
    static func header(_ seconds: Int64) -> Bytes { format(seconds, "%a, %d %b %Y %H:%M:%S GMT") }

    /// `2026-09-21T14:13:20.000Z`.
    static func xml(_ seconds: Int64) -> Bytes { format(seconds, "%Y-%m-%dT%H:%M:%S.000Z") }

    /// `2026-09-21T14:13:20Z`, as the token service has it.
    static func iso(_ seconds: Int64) -> Bytes { format(seconds, "%Y-%m-%dT%H:%M:%SZ") }

    static func fromISO(_ text: Bytes) -> Int64? { parse(text, "%Y-%m-%dT%H:%M:%SZ") }

    static func fromHeader(_ text: Bytes) -> Int64? { parse(text, "%a, %d %b %Y %H:%M:%S GMT") }

    /// From `20260921T141320Z`.
    static func fromSigning(_ text: Bytes) -> Int64? { parse(text, "%Y%m%dT%H%M%SZ") }

    // The process never calls setlocale, so that the names of days and months are English.
    private static func format(_ seconds: Int64, _ pattern: String) -> Bytes {
        var moment = time_t(seconds)
        var fields = tm()
        guard gmtime_r(&moment, &fields) != nil else { return [] }
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, pattern, &fields)
        return text[..<length].map { UInt8(bitPattern: $0) }
    }

    /// Only what would be written the same, apart from the day of the week that a header's date begins with: strptime
    /// lets blanks and signs stand for digits, and takes days that the month doesn't have for some of the next.
    private static func parse(_ text: Bytes, _ pattern: String) -> Int64? {
        guard !text.contains(0) else { return nil }
        var seconds: Int64 = 0
        let isRead = (text + [0]).withUnsafeBytes { bytes in
            cobjectserver_parse_time(bytes.bindMemory(to: CChar.self).baseAddress, pattern, &seconds)
        }
        let unread = pattern.hasPrefix("%a") ? 3 : 0
        return isRead == 1 && text.dropFirst(unread) == format(seconds, pattern).dropFirst(unread) ? seconds : nil
    }
}
