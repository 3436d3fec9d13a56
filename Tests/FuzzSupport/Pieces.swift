/// Inputs taken apart in ways that leave them readable, so that a corpus is made of plain files.
package enum Pieces {
    /// The lines, without their LF; the last one counts only if it isn't empty.
    package static func lines(_ input: [UInt8]) -> [[UInt8]] {
        var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines
    }

    /// What stands between lines that are just `marker`.
    package static func sections(_ input: [UInt8], marker: StaticString) -> [[UInt8]] {
        let mark = marker.withUTF8Buffer { Array($0) }
        var sections: [[UInt8]] = [[]]
        for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if line.elementsEqual(mark) {
                sections.append([])
            } else {
                sections[sections.count - 1] += line + [0x0A]
            }
        }
        // The last line had no LF of its own.
        if let last = sections.indices.last, !sections[last].isEmpty { sections[last].removeLast() }
        return sections
    }

    /// A number that depends on each byte (FNV-1a), for choices that an input makes by the way.
    package static func number(_ input: [UInt8]) -> UInt64 {
        input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Whether words for people hold what would steer a terminal or break a line of a log.
    package static func steersTerminals(_ text: String) -> Bool {
        text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || (0x7F..<0xA0).contains($0.value) }
    }
}
