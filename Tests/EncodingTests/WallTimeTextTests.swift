import Instrumentation
import Testing

@testable import Encoding

@Suite struct WallTimeTextTests {
    @Test("HTTP dates are written and read in the preferred form")
    func httpDate() {
        let time = WallTime(seconds: 1_790_000_000)
        #expect(time.httpDate == Array("Mon, 21 Sep 2026 14:13:20 GMT".utf8))
        #expect(WallTime(httpDate: Array("Mon, 21 Sep 2026 14:13:20 GMT".utf8)) == time)
        #expect(WallTime(httpDate: Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8)) == WallTime(seconds: 0))
    }

    @Test(
        "other texts are no HTTP dates",
        arguments: [
            "", "Mon, 21 Sep 2026 14:13:20", "Mon, 21 sep 2026 14:13:20 GMT", "Mon, 31 Feb 2026 14:13:20 GMT",
            "Mon, 21 Sep 2026 24:13:20 GMT", "Tue, 31 Feb 2026 23:59:60 GMT", "Mon, 2x Sep 2026 14:13:20 GMT",
            "Monday, 21-Sep-26 14:13:20 GMT",
        ])
    func notHTTPDate(text: String) {
        #expect(WallTime(httpDate: Array(text.utf8)) == nil)
    }

    @Test("ISO 8601 is read with and without parts of a second")
    func iso8601() {
        #expect(WallTime(iso8601: Array("2026-09-21T14:13:20.000Z".utf8)) == WallTime(seconds: 1_790_000_000))
        #expect(WallTime(iso8601: Array("2026-09-21T14:13:20Z".utf8)) == WallTime(seconds: 1_790_000_000))
        #expect(
            WallTime(iso8601: Array("2026-09-21T14:13:20.5Z".utf8))
                == WallTime(seconds: 1_790_000_000, nanoseconds: 500_000_000))
        #expect(
            WallTime(iso8601: Array("2026-09-21T14:13:20.123456789Z".utf8))
                == WallTime(seconds: 1_790_000_000, nanoseconds: 123_456_789))
        #expect(WallTime(seconds: 1_790_000_000).iso8601Text == Array("2026-09-21T14:13:20.000Z".utf8))
        #expect(WallTime(seconds: 1_790_000_000).basicISO8601Text == Array("20260921T141320Z".utf8))
        #expect(WallTime(seconds: -1).iso8601Text == Array("1969-12-31T23:59:59.000Z".utf8))
    }

    @Test(
        "other texts are no times",
        arguments: [
            "", "2026-09-21", "2026-09-21 14:13:20Z", "2026-13-21T14:13:20Z", "2026-02-30T14:13:20Z",
            "2026-09-21T14:13:20.Z", "2026-09-21T14:13:20.1234567890Z", "2026-09-21T14:13:20+08:00",
            "2026-09-21T14:60:20Z", "2026-02-30T23:59:60Z", "9999-12-31T23:59:60Z", "-026-09-21T14:13:20Z",
        ])
    func notTimes(text: String) {
        #expect(WallTime(iso8601: Array(text.utf8)) == nil)
    }

    @Test("a leap second is the one after the second before it")
    func leapSecond() {
        #expect(WallTime(iso8601: Array("2016-12-31T23:59:60Z".utf8)) == WallTime(seconds: 1_483_228_800))
        #expect(WallTime(httpDate: Array("Sat, 31 Dec 2016 23:59:60 GMT".utf8)) == WallTime(seconds: 1_483_228_800))
    }

    @Test("leap days exist in leap years alone, and every written time is read back")
    func calendar() {
        #expect(WallTime(iso8601: Array("2024-02-29T00:00:00Z".utf8)) != nil)
        #expect(WallTime(iso8601: Array("2100-02-29T00:00:00Z".utf8)) == nil)
        for seconds in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 86_400 * 977 + 12_345) {
            let time = WallTime(seconds: seconds)
            #expect(WallTime(httpDate: time.httpDate) == time)
            #expect(WallTime(iso8601: time.iso8601Text) == time)
        }
    }
}
