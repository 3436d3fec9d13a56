import Glibc
import Instrumentation
import ObjectStore
import Runtime
import TestSupport
import Testing
import Transfer

@testable import FileSystemCore

@Suite struct WritingTests {
    @Test("a file that was created, written and closed is in the bucket, by one request")
    func onePut() throws {
        let fixture = CoreFixture()
        try fixture.store("a.jpg", Array("hello".utf8))
        #expect(fixture.contents("a.jpg") == Array("hello".utf8))
        #expect(fixture.memory.requests(.put) == 1)
        #expect(fixture.memory.info(ObjectKey("a.jpg".utf8))?.metadata.contentType == Array("image/jpeg".utf8))
    }

    @Test("the close of an empty new file sends it, and tells of a failure")
    func emptyFile() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        fixture.store.order(.error(.accessDenied), on: .put)
        expectErrno(EACCES) { try fixture.flush(inode, handle) }
        try fixture.flush(inode, handle)
        #expect(fixture.contents("f") == [])
    }

    @Test("the close of a truncated object sends the empty one")
    func truncated() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("old".utf8))
        let inode = try #require(try fixture.lookup("f")).attributes.inode
        let handle = try fixture.open(inode, flags: O_WRONLY | O_TRUNC)
        try fixture.close(inode, handle)
        #expect(fixture.contents("f") == [])
    }

    @Test("a flush by a process that didn't open the file sends nothing")
    func foreignFlush() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        try fixture.write([1], inode, handle)
        try fixture.flush(inode, handle, pid: getppid())
        #expect(fixture.memory.requests(.put) == 0)
        try fixture.close(inode, handle)
        #expect(fixture.contents("f") == [1])
    }

    @Test("a release sends what no flush did")
    func releaseSends() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        try fixture.flush(inode, handle, pid: getppid())
        try fixture.release(inode, handle)
        #expect(eventually(within: .seconds(10)) { fixture.contents("f") == [] })
    }

    @Test("a file made without truncation, as touch does, is sent at its close with the times set meanwhile")
    func touch() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("t", flags: O_WRONLY)
        var change = AttributeChange()
        change.modificationTime = .at(WallTime(seconds: 1_000_000_000, nanoseconds: 123_456_789))
        let _: TimedAttributes = try fixture.wait {
            fixture.fileSystem.setattr(inode: inode, change: change, context: fixture.context(), reply: $0)
        }
        try fixture.close(inode, handle)
        #expect(fixture.memory.requests == 3, "a lookup's HEAD and LIST, and one PUT")
        let info = fixture.memory.info(ObjectKey("t".utf8))
        #expect(info?.metadata.user["mtime"] == Array("1000000000.123456789".utf8))
        #expect(info?.metadata.user["mode"] == Array("33188".utf8))
        #expect(info?.metadata.user["uid"] == Array("1000".utf8))
    }

    @Test("an edit in place of an object sends the whole with the edit in it")
    func edit() throws {
        let fixture = CoreFixture()
        var generator = SeededGenerator(seed: 3)
        var bytes = generator.bytes(700_000)
        _ = fixture.memory.seed(ObjectKey("o".utf8), bytes)
        let inode = try #require(try fixture.lookup("o")).attributes.inode
        let handle = try fixture.open(inode, flags: O_RDWR)
        try fixture.write([7, 7, 7], inode, handle, at: 300_000)
        bytes.replaceSubrange(300_000..<300_003, with: [7, 7, 7])
        #expect(try fixture.read(inode, handle, 0..<700_000) == bytes)
        try fixture.close(inode, handle)
        #expect(fixture.contents("o") == bytes)
    }

    @Test("an edited object that somebody replaced meanwhile is not overwritten: ESTALE, and both versions are kept")
    func conflict() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("d/o.txt".utf8), Array("first".utf8))
        let directory = try #require(try fixture.lookup("d")).attributes.inode
        let inode = try #require(try fixture.lookup("o.txt", in: directory)).attributes.inode
        let handle = try fixture.open(inode, flags: O_RDWR)
        try fixture.write(Array("OURS!".utf8), inode, handle)
        _ = fixture.memory.seed(ObjectKey("d/o.txt".utf8), Array("their longer version".utf8))
        expectErrno(ESTALE) { try fixture.flush(inode, handle) }
        try fixture.release(inode, handle)
        #expect(fixture.contents("d/o.txt") == Array("their longer version".utf8))
        let kept = fixture.memory.keys.filter { $0.bytes.starts(with: "d/o.txt.conflict-testhost-".utf8) }
        #expect(kept.count == 1)
        #expect(kept.first.flatMap { fixture.memory.contents($0) } == Array("OURS!".utf8))
    }

    @Test("a small object that is replaced between an edit and its close leaves the whole edit under a conflict name")
    func conflictKeepsAll() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("x".utf8), [UInt8](repeating: 65, count: 100_000))
        let inode = try #require(try fixture.lookup("x")).attributes.inode
        let handle = try fixture.open(inode, flags: O_RDWR)
        try fixture.write([49], inode, handle, at: 10)
        _ = fixture.memory.seed(ObjectKey("x".utf8), [UInt8](repeating: 66, count: 50))
        expectErrno(ESTALE) { try fixture.flush(inode, handle) }
        var expected = [UInt8](repeating: 65, count: 100_000)
        expected[10] = 49
        let kept = try #require(fixture.memory.keys.first { $0.bytes.starts(with: "x.conflict-".utf8) })
        #expect(fixture.memory.contents(kept) == expected)
    }

    @Test(
        "a base that can't be read though it is unchanged is never replaced by zeros: the close fails, a retry sends all"
    )
    func baseNotReadable() throws {
        let fixture = CoreFixture()
        var generator = SeededGenerator(seed: 20)
        var bytes = generator.bytes(9 << 20)
        _ = fixture.memory.seed(ObjectKey("big".utf8), bytes)
        let inode = try #require(try fixture.lookup("big")).attributes.inode
        let handle = try fixture.open(inode, flags: O_RDWR)
        try fixture.write([1, 2, 3], inode, handle, at: 5_000_000)
        fixture.store.order(.error(.preconditionFailed), on: .get, times: 1)
        expectErrno(ESTALE) { try fixture.flush(inode, handle) }
        #expect(fixture.contents("big") == bytes)
        try fixture.flush(inode, handle)
        bytes.replaceSubrange(5_000_000..<5_000_003, with: [1, 2, 3])
        #expect(fixture.contents("big") == bytes)
        #expect(fixture.memory.keys.count == 1)
    }

    @Test(
        "a large base that is really gone leaves the edit under a conflict name, also where the first try to keep it fails"
    )
    func baseGone() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("big".utf8), [UInt8](repeating: 65, count: 9 << 20))
        let inode = try #require(try fixture.lookup("big")).attributes.inode
        let handle = try fixture.open(inode, flags: O_RDWR)
        try fixture.write([1, 2, 3], inode, handle)
        let theirs = [UInt8](repeating: 66, count: 9 << 20)
        _ = fixture.memory.seed(ObjectKey("big".utf8), theirs)
        fixture.store.order(.error(.unavailable), on: .put, times: 1)
        expectErrno(EIO) { try fixture.flush(inode, handle) }
        // Their version goes back to ours: still nothing with zeros may take its place.
        _ = fixture.memory.seed(ObjectKey("big".utf8), [UInt8](repeating: 65, count: 9 << 20))
        expectErrno(ESTALE) { try fixture.flush(inode, handle) }
        #expect(fixture.contents("big") == [UInt8](repeating: 65, count: 9 << 20))
        #expect(fixture.memory.keys.count { $0.bytes.starts(with: "big.conflict-".utf8) } == 1)
    }

    @Test("a chmod of an object that somebody replaced is ESTALE once, and then finds the new one")
    func staleChmod() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("x".utf8), Array("old one".utf8))
        let first = try #require(try fixture.lookup("x")).attributes.inode
        _ = try fixture.attributes(first)
        _ = fixture.memory.seed(ObjectKey("x".utf8), Array("new".utf8))
        var change = AttributeChange()
        change.permissions = 0o600
        let set: (InodeNumber) throws -> Attributes = { inode in
            try fixture.wait {
                fixture.fileSystem.setattr(inode: inode, change: change, context: fixture.context(), reply: $0)
            }.attributes
        }
        expectErrno(ESTALE) { _ = try set(first) }
        let second = try #require(try fixture.lookup("x")).attributes.inode
        #expect(second != first)
        #expect(try set(second).permissions == 0o600)
        #expect(fixture.contents("x") == Array("new".utf8))
    }

    @Test("a failed commit is told once by the close, and the bytes are sent by the next try")
    func retryAfterFailure() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        try fixture.write([1, 2], inode, handle)
        fixture.store.order(.error(.accessDenied), on: .put)
        expectErrno(EACCES) { try fixture.flush(inode, handle) }
        try fixture.wait {
            fixture.fileSystem.fsync(
                inode: inode, handle: handle, dataOnly: false, context: fixture.context(), reply: $0)
        }
        #expect(fixture.contents("f") == [1, 2])
        try fixture.close(inode, handle)
    }

    @Test("after the last close of a file that could not be sent, the bucket's version shows again")
    func dropped() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("old".utf8))
        let inode = try #require(try fixture.lookup("f")).attributes.inode
        let handle = try fixture.open(inode, flags: O_WRONLY | O_TRUNC)
        try fixture.write(Array("newer".utf8), inode, handle)
        fixture.store.order(.error(.accessDenied), on: .put, times: 10)
        expectErrno(EACCES) { try fixture.flush(inode, handle) }
        try fixture.release(inode, handle)
        #expect(try eventually(within: .seconds(10)) { try fixture.lookup("f")?.attributes.size == 3 })
        #expect(fixture.contents("f") == Array("old".utf8))
        let again = try #require(try fixture.lookup("f")).attributes.inode
        #expect(again != inode)
    }

    @Test("a write past what an object may hold is EFBIG, and harms nothing")
    func tooLarge() throws {
        let fixture = CoreFixture(memoryBytes: 4 << 20)
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("old".utf8))
        let inode = try #require(try fixture.lookup("f")).attributes.inode
        let handle = try fixture.open(inode, flags: O_WRONLY | O_TRUNC)
        try fixture.write([UInt8](repeating: 1, count: 1 << 20), inode, handle)
        let limit = fixture.store.capabilities.maximumObjectBytes
        expectErrno(EFBIG) { try fixture.write([1], inode, handle, at: limit) }
        try fixture.close(inode, handle)
        #expect(fixture.contents("f")?.count == 1 << 20)
    }

    @Test("an exclusive create that meets a foreign object at its commit is EEXIST, and both are kept")
    func exclusive() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("x", flags: O_WRONLY | O_EXCL | O_CREAT)
        try fixture.write([5], inode, handle)
        _ = fixture.memory.seed(ObjectKey("x".utf8), Array("theirs".utf8))
        expectErrno(EEXIST) { try fixture.flush(inode, handle) }
        try fixture.release(inode, handle)
        #expect(fixture.contents("x") == Array("theirs".utf8))
        #expect(fixture.memory.keys.count { $0.bytes.starts(with: "x.conflict-".utf8) } == 1)
    }

    @Test("a writer that is killed while it closes counts as having closed: its bytes arrive")
    func killedWhileClosing() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        try fixture.write([1], inode, handle)
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .put)
        let context = fixture.context()
        fixture.fileSystem.flush(inode: inode, handle: handle, context: context) { _ in false }
        #expect(gate.waitForArrivals(1))
        context.cancellation.cancel()
        try fixture.release(inode, handle)
        gate.open()
        #expect(eventually(within: .seconds(10)) { fixture.contents("f") == [1] })
    }

    @Test("an append to a name that another host took meanwhile adds to its file instead of replacing it")
    func appendDoesNotCover() throws {
        let fixture = CoreFixture()
        #expect(try fixture.names() == [])
        fixture.clock.advance(by: .seconds(3))
        _ = fixture.memory.seed(ObjectKey("log".utf8), Array("theirs\n".utf8))
        #expect(try fixture.lookup("log") == nil, "the listing is still trusted")
        let (inode, handle) = try fixture.create("log", flags: O_WRONLY | O_APPEND)
        let size = try fixture.attributes(inode).size
        try fixture.write(Array("ours\n".utf8), inode, handle, at: size)
        try fixture.close(inode, handle)
        #expect(fixture.contents("log") == Array("theirs\nours\n".utf8))
    }

    @Test("two closers of one file share its sending, and each returns when the object is there")
    func sharedCommit() throws {
        let fixture = CoreFixture()
        let (inode, first) = try fixture.create("f")
        let second = try fixture.open(inode, flags: O_WRONLY)
        try fixture.write([1], inode, first)
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .put)
        let done = Locked(0)
        for handle in [first, second] {
            fixture.fileSystem.fsync(inode: inode, handle: handle, dataOnly: false, context: fixture.context()) {
                result in
                if case .success = result { done.withLock { $0 += 1 } }
                done.wakeAll()
                return true
            }
        }
        #expect(gate.waitForArrivals(1))
        gate.open()
        #expect(done.wait(until: .after(.seconds(10))) { $0 == 2 ? true : nil } == true)
        #expect(fixture.memory.requests(.put) == 1)
    }

    @Test("bytes written while a commit is under way wait for it, and go out with the next one")
    func writeDuringCommit() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        try fixture.write([1, 1, 1, 1], inode, handle)
        let gate = Gate()
        fixture.store.order(.wait(gate), on: .put)
        let isDone = Locked(false)
        fixture.fileSystem.fsync(inode: inode, handle: handle, dataOnly: false, context: fixture.context()) { _ in
            isDone.withLock { $0 = true }
            isDone.wakeAll()
            return true
        }
        #expect(gate.waitForArrivals(1))
        let isWritten = Locked(false)
        ([2] as [UInt8]).withUnsafeBytes { bytes in
            fixture.fileSystem.write(
                inode: inode, handle: handle, offset: 1, bytes: bytes, clearsPrivileges: false,
                context: fixture.context()
            ) { _ in
                isWritten.withLock { $0 = true }
                isWritten.wakeAll()
                return true
            }
        }
        gate.open()
        #expect(isDone.wait(until: .after(.seconds(10))) { $0 ? true : nil } == true)
        #expect(fixture.contents("f") == [1, 1, 1, 1])
        #expect(isWritten.wait(until: .after(.seconds(10))) { $0 ? true : nil } == true)
        try fixture.close(inode, handle)
        #expect(fixture.contents("f") == [1, 2, 1, 1])
    }

    @Test("a drain sends what is open and unsent")
    func drain() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("f")
        try fixture.write([1], inode, handle)
        #expect(fixture.fileSystem.unsentFiles == 1)
        #expect(fixture.fileSystem.drain(by: .after(.seconds(10))).isEmpty)
        #expect(fixture.contents("f") == [1])
    }
}
