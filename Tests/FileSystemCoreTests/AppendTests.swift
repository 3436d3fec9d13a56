import Glibc
import ObjectStore
import TestSupport
import Testing

@testable import FileSystemCore

@Suite struct AppendTests {
    /// A file opened for appending, with some bytes appended, after which somebody else has put `foreign` in its place.
    private func appended(
        _ base: [UInt8], _ tail: [UInt8], then foreign: [UInt8], flags: Int32 = O_WRONLY | O_APPEND
    ) throws -> (CoreFixture, InodeNumber, HandleID) {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("log".utf8), base)
        let inode = try #require(try fixture.lookup("log")).attributes.inode
        let handle = try fixture.open(inode, flags: flags)
        try fixture.write(tail, inode, handle, at: Int64(base.count))
        _ = fixture.memory.seed(ObjectKey("log".utf8), foreign)
        return (fixture, inode, handle)
    }

    @Test("two appenders to one object: what comes second goes on after what came first", arguments: [10, 9_000_000])
    func both(count: Int) throws {
        var generator = SeededGenerator(seed: 3)
        let base = generator.bytes(count)
        let (fixture, inode, handle) = try appended(base, [1, 2], then: base + [7, 8, 9])
        try fixture.close(inode, handle)
        #expect(fixture.contents("log")?.suffix(5) == [7, 8, 9, 1, 2])
        #expect(fixture.contents("log")?.count == count + 5)
        #expect(try fixture.attributes(inode).size == Int64(count) + 5)
    }

    @Test("an append to an object that was replaced by another is a conflict, and both are kept")
    func replaced() throws {
        let (fixture, inode, handle) = try appended([1, 1, 1], [2], then: [9, 9, 9, 9])
        expectErrno(ESTALE) { try fixture.close(inode, handle) }
        #expect(fixture.contents("log") == [9, 9, 9, 9])
        let kept = try #require(fixture.memory.keys.first { $0.bytes.starts(with: "log.conflict-".utf8) })
        #expect(fixture.memory.contents(kept) == [1, 1, 1, 2])
    }

    @Test("a write at the old end by a program that chose the place is no append")
    func placed() throws {
        let (fixture, inode, handle) = try appended([1, 1, 1], [2], then: [1, 1, 1, 5], flags: O_WRONLY)
        expectErrno(ESTALE) { try fixture.close(inode, handle) }
        #expect(fixture.contents("log") == [1, 1, 1, 5])
    }

    @Test("a rewritten, touched or renamed object keeps its class, tags and ACL")
    func properties() throws {
        let fixture = CoreFixture()
        let properties = ObjectProperties(
            acl: Array("public-read".utf8), tagging: [ObjectTag(key: Array("k".utf8), value: Array("v".utf8))],
            storageClass: Array("IA".utf8))
        _ = try fixture.memory.put(
            PutRequest(key: ObjectKey("f".utf8), properties: properties), body: BytesBody([1, 2, 3]), .test)
        let inode = try #require(try fixture.lookup("f")).attributes.inode
        let handle = try fixture.open(inode, flags: O_WRONLY | O_TRUNC)
        try fixture.write([4], inode, handle)
        try fixture.close(inode, handle)
        #expect(fixture.memory.properties(ObjectKey("f".utf8)) == properties)
        var change = AttributeChange()
        change.permissions = 0o600
        _ = try fixture.wait {
            fixture.fileSystem.setattr(inode: inode, change: change, context: fixture.context(), reply: $0)
        }
        #expect(fixture.memory.properties(ObjectKey("f".utf8)) == properties)
        try fixture.wait {
            fixture.fileSystem.rename(
                parent: .root, name: Array("f".utf8), newParent: .root, newName: Array("g".utf8), flags: 0,
                context: fixture.context(), reply: $0)
        }
        #expect(fixture.memory.properties(ObjectKey("g".utf8)) == properties)
    }
}
