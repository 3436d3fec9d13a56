import Glibc

/// The text form of an event; pure, so that tests can pin it.
enum LogLine {
    static func text(time: WallTime, level: LogLevel, event: StaticString, fields: [LogField]) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(160)
        line += time.iso8601
        line.append(0x20)
        append(level.word, to: &line)
        line.append(0x20)
        append(event, to: &line)
        for field in fields {
            line.append(0x20)
            append(field.name, to: &line)
            line.append(UInt8(ascii: "="))
            appendValue(field.value, to: &line)
        }
        line.append(0x0A)
        return line
    }

    private static func append(_ text: StaticString, to line: inout [UInt8]) {
        text.withUTF8Buffer { line.append(contentsOf: $0) }
    }

    /// A bare word stays as it is; anything else stands in quotes, with control bytes, quotes, backslashes and bytes
    /// that aren't UTF-8 as `\xNN`.
    private static func appendValue(_ value: [UInt8], to line: inout [UInt8]) {
        let isBare = !value.isEmpty && value.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        if isBare {
            line += value
            return
        }
        let isText = value.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        line.append(0x22)
        for byte in value {
            let isPrintable = byte >= 0x20 && byte != 0x7F && byte != 0x22 && byte != 0x5C && (byte < 0x80 || isText)
            if isPrintable {
                line.append(byte)
            } else {
                let digits = Array("0123456789abcdef".utf8)
                line += [0x5C, UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        line.append(0x22)
    }
}
