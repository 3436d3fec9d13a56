import TestSupport

/// A script of operations for the driver, made of a seed alone.
///
/// It is made without knowing what the operations do: an unused slot, a missing file, a name that exists are cases too.
/// Only how far files grow is bounded.
struct ModelScript: Sendable {
    /// Sizes that the script aims at, just before, at and just after.
    struct Shape: Sendable {
        /// Bytes of a block of the mount.
        let block: Int
        /// Bytes of the smallest part of an upload.
        let part: Int
        /// No write ends much further.
        let largest: Int
    }

    let seed: UInt64
    /// Each ends with everything closed and a `tree`: there the trees and the bucket are compared.
    let segments: [[String]]

    /// Steps between two checkpoints: enough for files to be opened, edited and replaced many times.
    private static let segmentSteps = 125

    init(seed: UInt64, steps: Int, shape: Shape) {
        self.seed = seed
        var maker = ModelScriptMaker(seed: seed, shape: shape)
        segments = stride(from: 0, to: steps, by: Self.segmentSteps).map { start in
            maker.segment(steps: min(Self.segmentSteps, steps - start))
        }
    }
}

/// Makes a script's lines, one after the other.
struct ModelScriptMaker {
    private var random: SeededGenerator
    private let shape: ModelScript.Shape
    /// How often each kind of operation comes in the present segment.
    private var weights: [(kind: Kind, weight: Int)] = []
    private var lastSlot = 0
    private var isFirstSegment = true
    /// Few enough that operations meet on one file.
    private static let slotCount = 6
    private static let files = ["a", "b", "c", "d0/a", "d0/b", "d0/c", "d1/a", "d0/deep/a"]
    private static let directories = ["d0", "d1", "d0/deep", "e"]

    private enum Kind: CaseIterable {
        case open, close, duplicate, read, readAt, write, writeAt, seek, cut, cutByName, sync, map, mapPrivate, mapWrite
        case fork, forkWrite, rename, unlink, directory, mode, time, stat, list, stream, scatter, tree
    }

    init(seed: UInt64, shape: ModelScript.Shape) {
        random = SeededGenerator(seed: seed)
        self.shape = shape
    }

    /// Segments differ in what they mostly do: everything, in order writing, edits of what is there, or names.
    mutating func segment(steps: Int) -> [String] {
        let flavour = below(4)
        weights = Kind.allCases.map { ($0, Self.weight(of: $0, in: flavour)) }
        var lines: [String] = []
        if isFirstSegment { lines += ["mkdir d0", "mkdir d1", "mkdir d0/deep"] }
        isFirstSegment = false
        // A checkpoint has closed everything: begin with something open.
        for slot in 0..<3 { lines.append("open \(slot) \(file()) bc 0644") }
        while lines.count < steps { lines += step() }
        return lines + ["tree", "closeall", "tree"]
    }

    private static func weight(of kind: Kind, in flavour: Int) -> Int {
        switch kind {
        case .open: 10
        case .close: 6
        case .write: flavour == 1 ? 16 : 8
        case .writeAt: flavour == 2 ? 16 : 8
        case .readAt, .read: 5
        case .stream: flavour == 1 ? 4 : 1
        case .scatter: flavour == 2 ? 4 : 1
        case .rename, .unlink: flavour == 3 ? 10 : 3
        case .cut, .cutByName, .mapWrite, .sync: 3
        case .map, .mapPrivate, .seek, .fork, .forkWrite, .duplicate, .stat, .list, .mode: 2
        case .directory, .time: flavour == 3 ? 4 : 1
        case .tree: 2
        }
    }

    private mutating func step() -> [String] {
        switch kind() {
        case .open: return [open()]
        case .close: return ["close \(slot())"]
        case .duplicate: return ["dup \(slot()) \(below(Self.slotCount))"]
        case .read: return ["read \(slot()) \(length())"]
        case .readAt: return ["pread \(slot()) \(offset()) \(length())"]
        case .write: return ["write \(slot()) \(length()) \(dataSeed())"]
        case .writeAt: return ["pwrite \(slot()) \(offset()) \(length()) \(dataSeed())"]
        case .seek: return [seek()]
        case .cut: return ["ftruncate \(slot()) \(offset())"]
        case .cutByName: return ["truncate \(file()) \(place())"]
        case .sync: return [below(2) == 0 ? "fsync \(slot())" : "fdatasync \(slot())"]
        case .map: return ["mread \(slot()) \(offset()) \(length())"]
        case .mapPrivate: return ["mprivate \(slot()) \(offset()) \(length())"]
        case .mapWrite: return ["mwrite \(slot()) \(offset()) \(length()) \(dataSeed())"]
        case .fork: return ["fork \(slot())"]
        case .forkWrite: return ["forkwrite \(slot()) \(length()) \(dataSeed())"]
        case .rename: return ["rename \(file()) \(file())"]
        case .unlink: return ["unlink \(file())"]
        case .directory: return ["\(below(2) == 0 ? "mkdir" : "rmdir") \(directory())"]
        case .mode: return [mode()]
        case .time: return ["utime \(file()) \(below(1_000_000_000))"]
        case .stat: return ["stat \(below(3) == 0 ? directory() : file())"]
        case .list: return ["list \(below(2) == 0 ? "." : directory())"]
        case .stream: return stream()
        case .scatter: return scatter()
        case .tree: return ["tree"]
        }
    }

    // MARK: - Operations of more than one choice

    private mutating func open() -> String {
        lastSlot = below(Self.slotCount)
        let access = ["r", "w", "b", "b"][below(4)]
        var flags = access
        if below(4) != 0 { flags += "c" }
        if below(8) == 0 { flags += "x" }
        if access != "r", below(4) == 0 { flags += "t" }
        if access != "r", below(5) == 0 { flags += "a" }
        let name = below(20) == 0 ? directory() : file()
        return "open \(lastSlot) \(name) \(flags) \(["0644", "0600", "0666", "0755"][below(4)])"
    }

    private mutating func seek() -> String {
        switch below(3) {
        case 0: return "lseek \(slot()) \(place()) set"
        case 1: return "lseek \(slot()) \(below(20_000) - 10_000) cur"
        default: return "lseek \(slot()) \(below(20_000) - 15_000) end"
        }
    }

    private mutating func mode() -> String {
        let bits = ["0600", "0640", "0444", "0755"][below(4)]
        return below(2) == 0 ? "chmod \(file()) \(bits)" : "fchmod \(slot()) \(bits)"
    }

    /// A file written from its start in pieces, as cp does, and now and then its first bytes again, as muxers do.
    private mutating func stream() -> [String] {
        lastSlot = below(Self.slotCount)
        var lines = ["open \(lastSlot) \(file()) \(["wct", "bct"][below(2)]) 0644"]
        let piece = [4096, 65536, 131_072, 100_000][below(4)]
        for _ in 0..<min(shape.largest / piece, 4 + below(24)) {
            lines.append("write \(lastSlot) \(piece) \(dataSeed())")
        }
        if below(2) == 0 { lines.append("pwrite \(lastSlot) 0 \(1 + below(5000)) \(dataSeed())") }
        if below(2) == 0 { lines.append("close \(lastSlot)") }
        return lines
    }

    /// Small writes all over one file.
    private mutating func scatter() -> [String] {
        let slot = slot()
        return (0..<4 + below(12)).map { _ in "pwrite \(slot) \(place()) \(1 + below(5000)) \(dataSeed())" }
    }

    // MARK: - Choices

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(max(limit, 1))) }
    private mutating func file() -> String { Self.files[min(below(Self.files.count), below(Self.files.count))] }
    private mutating func directory() -> String { Self.directories[below(Self.directories.count)] }
    private mutating func dataSeed() -> Int { below(1 << 30) }

    private mutating func kind() -> Kind {
        var rest = below(weights.reduce(0) { $0 + $1.weight })
        for (kind, weight) in weights {
            if rest < weight { return kind }
            rest -= weight
        }
        return .stat
    }

    /// Mostly the slot of before, so that operations follow each other on one file.
    private mutating func slot() -> Int {
        if below(3) == 0 { lastSlot = below(Self.slotCount) }
        return lastSlot
    }

    /// Bytes of one read or write.
    private mutating func length() -> Int {
        switch below(12) {
        case 0: return below(2)
        case 1, 2, 3: return 1 + below(200)
        case 4, 5: return 4095 + below(3)
        case 6, 7: return 1 + below(70_000)
        case 8: return near(shape.block)
        case 9: return near(shape.part)
        case 10: return min(1 << 20, below(shape.largest / 2))
        default: return 512 * (1 + below(64))
        }
    }

    /// An offset from the start.
    private mutating func place() -> Int {
        switch below(8) {
        case 0: return 0
        case 1, 2: return near(shape.block * (1 + below(max(shape.largest / shape.block, 1))))
        case 3: return near(shape.part * (1 + below(max(shape.largest / shape.part, 1))))
        case 4: return 4096 * below(shape.largest / 4096)
        default: return below(shape.largest)
        }
    }

    /// An offset from the start, or from the end, which is where borders are that nobody knows beforehand.
    private mutating func offset() -> String {
        if below(3) != 0 { return String(place()) }
        let distance = below(3) == 0 ? below(shape.block) : below(5000)
        return below(4) == 0 ? "e+\(distance)" : "e-\(distance)"
    }

    private mutating func near(_ size: Int) -> Int { max(0, size - 2 + below(5)) }
}
