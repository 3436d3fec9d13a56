import Glibc
import Instrumentation

// The forms of time in the services' headers and documents, always in UTC, always in English.

private let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map { Array($0.utf8) }
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    .map { Array($0.utf8) }

extension WallTime {
    /// `Mon, 21 Sep 2026 14:13:20 GMT`, RFC 9110's preferred form; parts of a second are dropped.
    package var httpDate: [UInt8] {
        let time = calendar
        var text = weekdays[Int(time.tm_wday)]
        text += [UInt8(ascii: ","), UInt8(ascii: " ")]
        appendDigits(Int(time.tm_mday), 2, to: &text)
        text.append(UInt8(ascii: " "))
        text += months[Int(time.tm_mon)]
        text.append(UInt8(ascii: " "))
        appendDigits(Int(time.tm_year) + 1900, 4, to: &text)
        text.append(UInt8(ascii: " "))
        appendClock(time, separator: UInt8(ascii: ":"), to: &text)
        text += Array(" GMT".utf8)
        return text
    }

    /// The moment of an HTTP date in the preferred form; nil for anything else, the weekday not looked at.
    package init?(httpDate text: [UInt8]) {
        // 29: the form has a fixed length.
        guard text.count == 29, text[3...4].elementsEqual(", ".utf8), text[25...].elementsEqual(" GMT".utf8),
            [7, 11, 16].allSatisfy({ text[$0] == UInt8(ascii: " ") }),
            [19, 22].allSatisfy({ text[$0] == UInt8(ascii: ":") }),
            let month = months.firstIndex(of: Array(text[8..<11])),
            let day = number(text[5..<7]), let year = number(text[12..<16]),
            let hour = number(text[17..<19]), let minute = number(text[20..<22]), let second = number(text[23..<25])
        else { return nil }
        self.init(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second, nanoseconds: 0)
    }

    /// `2026-09-21T14:13:20.000Z`, as the documents of OSS have it; whole seconds.
    package var iso8601Text: [UInt8] {
        let time = calendar
        var text: [UInt8] = []
        appendDay(time, separator: [UInt8(ascii: "-")], to: &text)
        text.append(UInt8(ascii: "T"))
        appendClock(time, separator: UInt8(ascii: ":"), to: &text)
        text += Array(".000Z".utf8)
        return text
    }

    /// `20260921T141320Z`, as signatures have it.
    package var basicISO8601Text: [UInt8] {
        let time = calendar
        var text: [UInt8] = []
        appendDay(time, separator: [], to: &text)
        text.append(UInt8(ascii: "T"))
        appendClock(time, separator: nil, to: &text)
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// The moment of `YYYY-MM-DDTHH:MM:SS[.fraction]Z`; nil for anything else.
    package init?(iso8601 text: [UInt8]) {
        guard text.count >= 20, text[text.count - 1] == UInt8(ascii: "Z"), text[10] == UInt8(ascii: "T"),
            [4, 7].allSatisfy({ text[$0] == UInt8(ascii: "-") }),
            [13, 16].allSatisfy({ text[$0] == UInt8(ascii: ":") }),
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19])
        else { return nil }
        var nanoseconds = 0
        if text.count > 20 {
            guard text[19] == UInt8(ascii: "."), text.count > 21, text.count <= 30,
                let fraction = number(text[20..<text.count - 1])
            else { return nil }
            nanoseconds = (text.count - 21..<9).reduce(fraction) { value, _ in value * 10 }
        }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanoseconds: nanoseconds)
    }

    private init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, nanoseconds: Int) {
        // 60: a leap second, which counts as the next one.
        guard (1...12).contains(month), (1...31).contains(day), hour <= 23, minute <= 59, second <= 60 else {
            return nil
        }
        var time = tm()
        time.tm_year = Int32(year - 1900)
        time.tm_mon = Int32(month - 1)
        time.tm_mday = Int32(day)
        time.tm_hour = Int32(hour)
        time.tm_min = Int32(minute)
        time.tm_sec = Int32(min(second, 59))
        let seconds = timegm(&time)
        // timegm moves a day that the month doesn't have into the next month.
        guard Int(time.tm_mday) == day else { return nil }
        let counted = Int64(seconds) + (second == 60 ? 1 : 0)
        guard counted <= Self.last else { return nil }
        self.init(seconds: counted, nanoseconds: UInt32(nanoseconds))
    }

    /// The first second of year 0 and the last of year 9999.
    private static let first: Int64 = -62_167_219_200
    private static let last: Int64 = 253_402_300_799

    /// The calendar's fields; the year is held to four digits, as all these forms have.
    private var calendar: tm {
        var time = time_t(min(max(seconds, Self.first), Self.last))
        var fields = tm()
        gmtime_r(&time, &fields)
        return fields
    }
}

private func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
}

private func appendDigits(_ value: Int, _ count: Int, to text: inout [UInt8]) {
    let digits = Array(String(value).utf8)
    text += [UInt8](repeating: UInt8(ascii: "0"), count: max(count - digits.count, 0)) + digits
}

private func appendDay(_ time: tm, separator: [UInt8], to text: inout [UInt8]) {
    appendDigits(Int(time.tm_year) + 1900, 4, to: &text)
    text += separator
    appendDigits(Int(time.tm_mon) + 1, 2, to: &text)
    text += separator
    appendDigits(Int(time.tm_mday), 2, to: &text)
}

private func appendClock(_ time: tm, separator: UInt8?, to text: inout [UInt8]) {
    appendDigits(Int(time.tm_hour), 2, to: &text)
    if let separator { text.append(separator) }
    appendDigits(Int(time.tm_min), 2, to: &text)
    if let separator { text.append(separator) }
    appendDigits(Int(time.tm_sec), 2, to: &text)
}
