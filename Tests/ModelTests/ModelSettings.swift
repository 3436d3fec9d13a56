import TestSupport
import Testing

/// How a mount and its server are set up for a run, and which sizes make a script cross their borders.
struct ModelSettings: CustomTestStringConvertible, Sendable {
    let name: String
    /// Options of `ossmount mount`.
    let mount: [String]
    /// Options of `ossmount-server`.
    let server: [String]
    let shape: ModelScript.Shape

    var testDescription: String { name }

    /// As users have it: files of a few blocks.
    static let plain = ModelSettings(
        name: "blocks of 256 KiB, 64 MiB of memory", mount: ["--memory", "64MiB"], server: [],
        shape: ModelScript.Shape(block: 256 << 10, part: 100 << 10, largest: 2 << 20))

    /// Parts as small as blocks allow: each file goes in many, while it is written.
    static let streams = ModelSettings(
        name: "blocks of 16 KiB, parts of 64 KiB, 8 MiB of memory",
        mount: [
            "--memory", "8MiB", "--block-size", "16KiB", "--part-size", "64KiB", "--part-minimum", "16KiB",
        ],
        server: ["--part-minimum", "16KiB"],
        shape: ModelScript.Shape(block: 16 << 10, part: 64 << 10, largest: 3 << 20))

    /// Files that are larger together than the budget, and each more than half of it.
    static let spilling = ModelSettings(
        name: "blocks of 256 KiB, 8 MiB of memory", mount: ["--memory", "8MiB"], server: [],
        shape: ModelScript.Shape(block: 256 << 10, part: 100 << 10, largest: 5 << 20))

    /// So few parts that what stands of an upload must become the base of the next.
    static let fewParts = ModelSettings(
        name: "blocks of 4 KiB, 20 parts of 32 KiB, 8 MiB of memory",
        mount: [
            "--memory", "8MiB", "--block-size", "4KiB", "--part-size", "32KiB", "--part-minimum", "4KiB",
            "--part-count", "20",
        ],
        server: ["--part-minimum", "4KiB", "--part-limit", "20"],
        shape: ModelScript.Shape(block: 4 << 10, part: 32 << 10, largest: 2 << 20))

    /// Every set that a run by hand goes through, and whose first ones every change does.
    static let all = [streams, spilling, fewParts, plain]
}
