/// What a target found: something that must hold and doesn't.
package struct Finding: Error, Sendable, Hashable {
    package let message: String

    package init(_ message: String) { self.message = message }

    /// The fault that is planted to see that a run finds faults: `scripts/fuzz.sh` looks for these words.
    package static let planted = Finding("the planted fault")
}

/// Throws a finding unless `isTrue`.
package func require(
    _ isTrue: @autoclosure () -> Bool, _ message: @autoclosure () -> String
) throws(Finding) {
    if !isTrue() { throw Finding(message()) }
}

/// Throws a finding unless both are the same; it shows them.
package func requireEqual<Value: Equatable>(
    _ left: Value, _ right: Value, _ message: @autoclosure () -> String
) throws(Finding) {
    if left != right { throw Finding("\(message()):\n  \(left)\n  \(right)") }
}

/// Throws the planted fault if all hold; easier ones stand first.
///
/// A loop, as libFuzzer counts how often a place is reached: an input that gets one further is kept, as it would be for a
/// parser's branches, which the optimiser doesn't fold into one as it does with a plain condition.
@inline(never)
package func throwPlanted(ifAll steps: [Bool]) throws(Finding) {
    for step in steps where !step { return }
    throw .planted
}

/// One parser, or several of a kind, with what must hold of what they make of any input.
package protocol FuzzTarget {
    /// As in `scripts/fuzz.sh NAME`, and the folder of its corpus.
    static var name: String { get }

    /// Throws what doesn't hold. Input that the parsers refuse is no finding.
    ///
    /// - Parameter isPlanted: whether `Finding.planted` is to be thrown for one plausible value deep in an input.
    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding)
}
