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

    /// Many blocks in each file.
    static let tiny = ModelSettings(
        name: "blocks of 4 KiB, 64 MiB of memory", mount: ["--memory", "64MiB", "--block-size", "4KiB"], server: [],
        shape: ModelScript.Shape(block: 4 << 10, part: 100 << 10, largest: 1 << 20))

    /// Every set that a run by hand goes through, and whose first ones every change does.
    static let all = [tiny, plain]
}
