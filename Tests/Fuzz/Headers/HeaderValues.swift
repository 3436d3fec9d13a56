import Encoding
import FuzzSupport
import Instrumentation

@testable import OSSClient

/// The forms that values of headers have; each parser gets each value.
enum HeaderValues {
    static func examine(_ value: [UInt8]) throws(Finding) {
        try examineRange(value)
        try examineNumber(value)
        try examineTimes(value)
        try examineCodings(value)
        try examineRestoration(value)
    }

    private static func examineRange(_ value: [UInt8]) throws(Finding) {
        guard let (bytes, total) = ReplyHeaders.contentRange(value) else { return }
        try require(0 <= bytes.lowerBound && !bytes.isEmpty && bytes.upperBound <= total, "\(bytes) of \(total)")
        let text = Array("bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total)".utf8)
        let again = ReplyHeaders.contentRange(text)
        try require(again?.bytes == bytes && again?.total == total, "a range is another one when it is read again")
    }

    private static func examineRestoration(_ value: [UInt8]) throws(Finding) {
        guard let restoration = ReplyHeaders.restoration(value) else { return }
        var text = Array("ongoing-request=\"\(restoration.isOngoing)\"".utf8)
        if let expiry = restoration.expiry {
            text += Array(", expiry-date=\"".utf8) + expiry.httpDate + Array("\"".utf8)
        }
        try requireEqual(ReplyHeaders.restoration(text), restoration, "a restoration is another one")
    }

    private static func examineNumber(_ value: [UInt8]) throws(Finding) {
        guard let number = ReplyHeaders.number(value) else { return }
        let digits = Array(String(number).utf8)
        let zeros = value.prefix { $0 == UInt8(ascii: "0") }.count
        let significant = zeros == value.count ? Array("0".utf8) : Array(value[zeros...])
        try requireEqual(digits, significant, "a number is another one when it is written again")
    }

    private static func examineTimes(_ value: [UInt8]) throws(Finding) {
        if let time = WallTime(httpDate: value) {
            try require(time.nanoseconds == 0, "an HTTP date within a second")
            if let same = withoutLeapSecond(value, at: 23) {
                // A leap second counts as the one after the second before it, which must be one.
                let before = WallTime(httpDate: same)
                try requireEqual(
                    before.map { $0.seconds + 1 }, time.seconds, "a leap second in a minute that isn't one")
            } else {
                // The weekday isn't looked at.
                try requireEqual(Array(time.httpDate[3...]), Array(value[3...]), "an HTTP date is another one")
            }
        }
        guard let time = WallTime(iso8601: value) else { return }
        try require(time.nanoseconds < 1_000_000_000, "\(time.nanoseconds) nanoseconds")
        if let same = withoutLeapSecond(value, at: 17) {
            let before = WallTime(iso8601: same)
            try requireEqual(before.map { $0.seconds + 1 }, time.seconds, "a leap second in a minute that isn't one")
        } else {
            try requireEqual(Array(time.iso8601Text[..<19]), Array(value[..<19]), "an XML date is another one")
        }
    }

    /// The date with second 59 for 60; nil for any other second.
    private static func withoutLeapSecond(_ date: [UInt8], at place: Int) -> [UInt8]? {
        guard date[place...].starts(with: "60".utf8) else { return nil }
        return Array(date[..<place]) + Array("59".utf8) + Array(date[(place + 2)...])
    }

    private static func examineCodings(_ value: [UInt8]) throws(Finding) {
        if let bytes = Base64.decode(value) {
            try requireEqual(Base64.encode(bytes), value, "base64 is another one when it is written again")
        }
        if let bytes = Hexadecimal.decode(value) {
            try requireEqual(
                Hexadecimal.encode(bytes), value.map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 },
                "hexadecimal digits are others when they are written again")
        }
        for keepsSlashes in [false, true] {
            let text = PercentEncoding.encode(value, keepingSlashes: keepsSlashes)
            try requireEqual(PercentEncoding.decode(text), value, "percent-encoding changes a value")
        }
        guard let bytes = PercentEncoding.decode(value) else { return }
        let text = PercentEncoding.encode(bytes)
        try requireEqual(PercentEncoding.decode(text), bytes, "percent-encoding changes what it gave")
    }
}
