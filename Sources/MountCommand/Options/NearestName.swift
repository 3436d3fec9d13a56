/// Finds what somebody meant to type.
enum NearestName {
    /// The name with the fewest slips from `typed`; nil where even that one differs in more than a third of its letters.
    static func find(_ typed: String, in names: [String]) -> String? {
        let typed = Array(typed.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 })
        // Longer input is nobody's slip, and the table below grows with it.
        guard typed.count <= 40 else { return nil }
        let distances = names.map { (name: $0, distance: distance(typed, Array($0.utf8))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(2, best.name.utf8.count / 3) ? best.name : nil
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other (restricted
    /// Damerau-Levenshtein).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var table = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
        for row in 0...left.count { table[row][0] = row }
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        for row in 1...left.count {
            for column in 1...right.count {
                let isSame = left[row - 1] == right[column - 1]
                var best = min(
                    table[row - 1][column] + 1, table[row][column - 1] + 1,
                    table[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, table[row - 2][column - 2] + 1)
                }
                table[row][column] = best
            }
        }
        return table[left.count][right.count]
    }
}
