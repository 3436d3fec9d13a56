import Glibc
import Instrumentation
import LocalStore
import ObjectStore
import TestSupport
import Testing

@testable import Transfer

@Suite struct StagingTests {
    private let recorded = RecordingLog()

    /// A staging folder below `path`.
    private func staging(_ path: String, limit: Int64 = 64 << 20) throws -> StagingFolder {
        let folder = try CacheFolder(
            root: Array(path.utf8), endpoint: [], bucket: Array("pictures".utf8), prefix: [], identity: .make())
        return StagingFolder(in: folder, limitBytes: limit, log: recorded.log)
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder.path)
    }

    private func write(_ bytes: [UInt8], to file: StagingFile, at offset: Int64) -> Bool {
        bytes.withUnsafeBytes { file.write($0, at: offset) }
    }

    private func read(_ count: Int, from file: StagingFile, at offset: Int64) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: count)
        try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return bytes
    }

    @Test("bytes come back from where they were put, far out in the file too")
    func roundTrip() throws {
        try withFolder { path in
            let file = try #require(try staging(path).makeFile())
            var generator = SeededGenerator(seed: 11)
            for offset in [0, 5 << 30, 777] as [Int64] {
                let bytes = generator.bytes(100_000)
                #expect(file.reserve(offset..<offset + 100_000))
                #expect(write(bytes, to: file, at: offset))
                #expect(try read(100_000, from: file, at: offset) == bytes)
            }
        }
    }

    @Test("the file has no name, and takes room only where it was reserved")
    func nameless() throws {
        try withFolder { path in
            let staging = try staging(path)
            let file = try #require(staging.makeFile())
            #expect(file.reserve(1 << 40..<(1 << 40) + (1 << 20)))
            #expect(staging.usedBytes == 1 << 20)
            let names = try #require(opendir(path))
            defer { closedir(names) }
            var count = 0
            while readdir(names) != nil { count += 1 }
            #expect(count == 3)
        }
    }

    @Test("at the limit no room is given, and what was given stays; room that is given back can be had again")
    func limit() throws {
        try withFolder { path in
            let staging = try staging(path)
            let file = try #require(staging.makeFile())
            let other = try #require(staging.makeFile())
            for number in 0..<8 { #expect(file.reserve(Int64(number) << 23..<Int64(number + 1) << 23)) }
            #expect(staging.usedBytes == 64 << 20)
            #expect(!other.reserve(0..<1))
            #expect(staging.usedBytes == 64 << 20)
            file.punch(1 << 23..<2 << 23)
            #expect(staging.usedBytes == 56 << 20)
            #expect(other.reserve(0..<8 << 20))
            #expect(recorded.count(of: "cache-size is used up") == 1)
        }
    }

    @Test("a range is charged once however often it is reserved, and all is given back with the file")
    func account() throws {
        try withFolder { path in
            let staging = try staging(path)
            do {
                let file = try #require(staging.makeFile())
                #expect(file.reserve(0..<10_000))
                #expect(file.reserve(5_000..<20_000))
                #expect(file.reserve(0..<20_000))
                #expect(staging.usedBytes == 5 * 4096)
            }
            #expect(staging.usedBytes == 0)
        }
    }

    @Test("a block that two ranges share is freed with the second")
    func sharedBlocks() throws {
        try withFolder { path in
            let staging = try staging(path)
            let file = try #require(staging.makeFile())
            #expect(file.reserve(0..<5_000))
            #expect(file.reserve(5_000..<8_192))
            let bytes = [UInt8](repeating: 7, count: 3_192)
            #expect(write(bytes, to: file, at: 5_000))
            file.punch(0..<5_000)
            #expect(staging.usedBytes == 4096)
            #expect(try read(3_192, from: file, at: 5_000) == bytes)
            file.punch(5_000..<8_192)
            #expect(staging.usedBytes == 0)
        }
    }

    @Test("what was never written, or was given back, is an error and not zeros")
    func neverZeros() throws {
        try withFolder { path in
            let file = try #require(try staging(path).makeFile())
            #expect(file.reserve(0..<8192))
            #expect(throws: StagingError.self) { try read(10, from: file, at: 0) }
            #expect(write([1, 2, 3, 4], to: file, at: 0))
            #expect(try read(4, from: file, at: 0) == [1, 2, 3, 4])
            file.punch(0..<4)
            #expect(throws: StagingError.self) { try read(4, from: file, at: 0) }
        }
    }

    @Test("a write where nothing is reserved is not taken")
    func unreserved() throws {
        try withFolder { path in
            let file = try #require(try staging(path).makeFile())
            #expect(file.reserve(0..<4))
            #expect(!write([1, 2, 3, 4, 5], to: file, at: 0))
            #expect(write([1, 2, 3, 4], to: file, at: 0))
        }
    }

    @Test("reservations of many threads never pass the limit")
    func parallel() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let staging = try staging(folder.path, limit: 16 << 20)
        let given = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard let file = staging.makeFile() else { return 0 }
                    var given = 0
                    for number in 0..<64 as Range<Int64> where file.reserve(number << 16..<(number + 1) << 16) {
                        given += 1
                        if staging.usedBytes > 16 << 20 { Issue.record("over the limit") }
                    }
                    file.punch(0..<64 << 16)
                    return given
                }
            }
            return await group.reduce(0, +)
        }
        #expect(given > 0)
        #expect(staging.usedBytes == 0)
    }

    @Test("a full disk gives no room, keeps what was given, and is told in the log once", .enabled(if: geteuid() == 0))
    func fullDisk() throws {
        try withFolder { path in
            #expect(mount("tmpfs", path, "tmpfs", 0, "size=16m") == 0)
            defer { umount2(path, Int32(MNT_DETACH)) }
            let staging = try staging(path)
            let file = try #require(staging.makeFile())
            let bytes = SeededBytes.make(8 << 20)
            #expect(file.reserve(0..<8 << 20))
            #expect(!file.reserve(8 << 20..<24 << 20))
            #expect(!file.reserve(8 << 20..<24 << 20))
            #expect(staging.usedBytes == 8 << 20)
            #expect(write(bytes, to: file, at: 0))
            #expect(try read(8 << 20, from: file, at: 0) == bytes)
            // What the failed reservation had begun to take is free again.
            #expect(file.reserve(8 << 20..<15 << 20))
            #expect(recorded.count(of: "the disk of cache-dir can't be written") == 1)
            file.punch(0..<8 << 20)
            #expect(file.reserve(16 << 20..<23 << 20))
        }
    }

    @Test("without a limit of the user's, at most 10 GiB and half of what is free is taken")
    func defaultLimit() {
        #expect(StagingFolder.defaultLimit(freeBytes: 1 << 40) == 10 << 30)
        #expect(StagingFolder.defaultLimit(freeBytes: 1 << 30) == 512 << 20)
        #expect(StagingFolder.defaultLimit(freeBytes: 0) == 0)
    }
}

private enum SeededBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 5)
        return generator.bytes(count)
    }
}
