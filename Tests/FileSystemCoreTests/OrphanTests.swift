import Glibc
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import FileSystemCore

@Suite struct OrphanTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 21)
        return generator.bytes(count)
    }

    private static let small = bytes(1 << 20)
    private static let large = bytes(9 << 20)

    /// A file of the bucket, open, of which nothing was read.
    private func opened(
        _ fixture: CoreFixture, _ name: String, _ bytes: [UInt8], flags: Int32 = O_RDONLY
    ) throws -> (inode: InodeNumber, handle: HandleID) {
        _ = fixture.memory.seed(ObjectKey(name.utf8), bytes)
        let inode = try #require(try fixture.lookup(name)).attributes.inode
        return (inode, try fixture.open(inode, flags: flags))
    }

    private func whole(_ fixture: CoreFixture, _ inode: InodeNumber, _ handle: HandleID, _ count: Int) throws -> [UInt8]
    {
        var bytes: [UInt8] = []
        while bytes.count <= count {
            let piece = try fixture.read(inode, handle, bytes.count..<bytes.count + (1 << 20))
            if piece.isEmpty { break }
            bytes += piece
        }
        return bytes
    }

    private func hidden(_ fixture: CoreFixture) -> [String] {
        fixture.memory.keys.map { String(decoding: $0.bytes, as: UTF8.self) }.filter { $0.contains(".ossmount/") }
    }

    @Test("a small file that is removed while open stays readable from memory alone, its name being gone")
    func small() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.small)
        try fixture.unlink("f")
        #expect(fixture.memory.keys.isEmpty)
        #expect(try fixture.lookup("f") == nil)
        #expect(try whole(fixture, inode, handle, Self.small.count) == Self.small)
        let attributes = try fixture.attributes(inode)
        #expect(attributes.links == 0)
        #expect(attributes.size == 1 << 20)
        try fixture.close(inode, handle)
        #expect(fixture.memory.requests(.copy) == 0)
    }

    @Test("what is kept in memory stays when others need memory")
    func keptUnderPressure() throws {
        let fixture = CoreFixture(memoryBytes: 16 << 20)
        let (inode, handle) = try opened(fixture, "f", Self.small)
        try fixture.unlink("f")
        for number in 0..<4 {
            // A fresh listing doesn't know what is put there past us.
            fixture.clock.advance(by: .seconds(11))
            let other = try opened(fixture, "other\(number)", Self.large)
            #expect(try whole(fixture, other.inode, other.handle, Self.large.count) == Self.large)
            try fixture.close(other.inode, other.handle)
        }
        #expect(try whole(fixture, inode, handle, Self.small.count) == Self.small)
        #expect(hidden(fixture).isEmpty)
    }

    @Test("no more than a quarter of the memory is kept so; the rest is copied aside")
    func share() throws {
        let fixture = CoreFixture(memoryBytes: 16 << 20)
        var open: [(inode: InodeNumber, handle: HandleID)] = []
        for number in 0..<6 {
            // A fresh listing doesn't know what is put there past us.
            fixture.clock.advance(by: .seconds(11))
            open.append(try opened(fixture, "f\(number)", Self.small))
            try fixture.unlink("f\(number)")
        }
        #expect(hidden(fixture).count == 2)
        for (inode, handle) in open { #expect(try whole(fixture, inode, handle, Self.small.count) == Self.small) }
        for (inode, handle) in open { try fixture.close(inode, handle) }
        #expect(eventually(within: .seconds(5)) { fixture.memory.keys.isEmpty })
    }

    @Test("a large file that is removed while open is copied aside, read on from there, and gone with the last close")
    func large() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        let second = try fixture.open(inode)
        #expect(try fixture.read(inode, handle, 0..<4096) == Array(Self.large[..<4096]))
        try fixture.unlink("f")
        #expect(fixture.contents("f") == nil)
        let kept = try #require(hidden(fixture).first)
        #expect(hidden(fixture).count == 1)
        #expect(kept.hasPrefix(".ossmount/orphan/"))
        #expect(fixture.fileSystem.hiddenObjects == 1)
        #expect(try fixture.names() == [])
        #expect(try whole(fixture, inode, handle, Self.large.count) == Self.large)
        try fixture.close(inode, handle)
        #expect(hidden(fixture).count == 1)
        #expect(try whole(fixture, inode, second, Self.large.count) == Self.large)
        try fixture.close(inode, second)
        #expect(
            eventually(within: .seconds(5)) { fixture.memory.keys.isEmpty && fixture.fileSystem.hiddenObjects == 0 })
    }

    @Test("a file beyond the largest copy is copied aside in parts")
    func inParts() throws {
        var capabilities = StoreCapabilities.ofMemory
        capabilities.maximumCopyBytes = 4 << 20
        capabilities.maximumPartBytes = 4 << 20
        let fixture = CoreFixture(memory: MemoryObjectStore(capabilities: capabilities))
        let (inode, handle) = try opened(fixture, "f", Self.large)
        try fixture.unlink("f")
        #expect(fixture.memory.requests(.copyPart) == 3)
        #expect(try whole(fixture, inode, handle, Self.large.count) == Self.large)
        try fixture.close(inode, handle)
        #expect(eventually(within: .seconds(5)) { fixture.memory.keys.isEmpty })
    }

    @Test("a file that nobody has open is removed by one delete")
    func notOpen() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        try fixture.close(inode, handle)
        fixture.memory.resetRequests()
        try fixture.unlink("f")
        #expect(fixture.memory.requests == 1)
        #expect(fixture.memory.requests(.delete) == 1)
    }

    @Test("a file that is replaced by a rename goes on for who has it open", arguments: [true, false])
    func renamedOver(isSent: Bool) throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        let made = try fixture.create("new")
        try fixture.write([1, 2, 3], made.inode, made.handle)
        if isSent { try fixture.close(made.inode, made.handle) }
        try fixture.rename("new", to: "f")
        if !isSent { try fixture.close(made.inode, made.handle) }
        #expect(fixture.contents("f") == [1, 2, 3])
        #expect(try whole(fixture, inode, handle, Self.large.count) == Self.large)
        try fixture.close(inode, handle)
        #expect(eventually(within: .seconds(5)) { fixture.memory.keys == [ObjectKey("f".utf8)] })
    }

    @Test("what is written to a removed file is read back and never sent", arguments: [1 << 20, 9 << 20])
    func written(count: Int) throws {
        let fixture = CoreFixture()
        var expected = Self.bytes(count)
        let (inode, handle) = try opened(fixture, "f", expected, flags: O_RDWR)
        try fixture.write([7, 7, 7], inode, handle, at: 100)
        try fixture.unlink("f")
        try fixture.write([8, 8], inode, handle, at: Int64(count) - 1)
        expected.replaceSubrange(100..<103, with: [7, 7, 7])
        expected.replaceSubrange((count - 1)..., with: [8, 8])
        #expect(try fixture.attributes(inode).size == Int64(count) + 1)
        #expect(try whole(fixture, inode, handle, count) == expected)
        try fixture.close(inode, handle)
        #expect(eventually(within: .seconds(5)) { fixture.memory.keys.isEmpty })
        #expect(fixture.memory.requests(.put) == 0)
    }

    @Test("a file that somebody else replaced is removed all the same, and its readers get ESTALE")
    func replacedByOther() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        _ = fixture.memory.seed(ObjectKey("f".utf8), [1])
        try fixture.unlink("f")
        #expect(fixture.memory.keys.isEmpty)
        expectErrno(ESTALE) { _ = try fixture.read(inode, handle, 0..<10) }
    }

    @Test("where the delete fails the file is as it was, for its handle and for others")
    func failedDelete() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        fixture.store.order(.error(.unexpected), on: .delete, key: ObjectKey("f".utf8))
        expectErrno(EIO) { try fixture.unlink("f") }
        #expect(try whole(fixture, inode, handle, Self.large.count) == Self.large)
        try fixture.close(inode, handle)
        #expect(eventually(within: .seconds(5)) { hidden(fixture).isEmpty })
        let again = try fixture.open(inode)
        #expect(try whole(fixture, inode, again, Self.large.count) == Self.large)
        #expect(fixture.contents("f") == Self.large)
    }

    @Test("an unreachable server fails the removal rather than the open handle")
    func unreachable() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        fixture.store.order(.error(.unavailable), on: .copy)
        expectErrno(EIO) { try fixture.unlink("f") }
        #expect(fixture.contents("f") == Self.large)
        #expect(try whole(fixture, inode, handle, Self.large.count) == Self.large)
    }

    @Test("credentials that may not write hidden keys don't keep anybody from removing a file")
    func forbidden() throws {
        let fixture = CoreFixture()
        let (_, _) = try opened(fixture, "f", Self.large)
        fixture.store.order(.error(.accessDenied), on: .copy)
        try fixture.unlink("f")
        #expect(fixture.memory.keys.isEmpty)
        #expect(fixture.recorded.count(of: "can't be kept for the programs") == 1)
    }

    @Test("a read that is under way when its file is removed gets its bytes")
    func readUnderWay() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .get)
        let answer = Locked<[UInt8]?>(nil)
        fixture.fileSystem.read(
            inode: inode, handle: handle, offset: 0, count: 4096, context: fixture.context()
        ) { result in
            let bytes = (try? result.get())?.segments.flatMap { Array($0) } ?? []
            answer.withLock { $0 = bytes }
            answer.wakeAll()
            return true
        }
        #expect(gate.waitForArrivals(1))
        try fixture.unlink("f")
        gate.open()
        #expect(answer.wait(until: .after(.seconds(10))) { $0 } == Array(Self.large[..<4096]))
    }

    @Test("an open that comes while a file is being replaced waits, and is then told to look again")
    func openMeanwhile() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try opened(fixture, "f", Self.large)
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .delete, key: ObjectKey("f".utf8))
        let removed = Locked(false)
        fixture.fileSystem.unlink(parent: .root, name: Array("f".utf8), context: fixture.context()) { _ in
            removed.withLock { $0 = true }
            removed.wakeAll()
            return true
        }
        #expect(gate.waitForArrivals(1))
        let outcome = Locked<Int32?>(nil)
        fixture.fileSystem.open(inode: inode, flags: O_RDONLY, context: fixture.context()) { result in
            if case .failure(let error) = result { outcome.withLock { $0 = error.errno } }
            outcome.wakeAll()
            return true
        }
        #expect(outcome.withLock { $0 } == nil)
        gate.open()
        #expect(outcome.wait(until: .after(.seconds(10))) { $0 } == ESTALE)
        #expect(removed.wait(until: .after(.seconds(10))) { $0 ? true : nil } == true)
        try fixture.close(inode, handle)
    }

    @Test("the end of the mount removes what is kept for handles that are still open")
    func drained() throws {
        let fixture = CoreFixture()
        _ = try opened(fixture, "f", Self.large)
        try fixture.unlink("f")
        #expect(hidden(fixture).count == 1)
        #expect(fixture.fileSystem.drain(by: .after(.seconds(10))).isEmpty)
        #expect(hidden(fixture).isEmpty)
    }
}
