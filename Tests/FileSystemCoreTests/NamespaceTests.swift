import Glibc
import Instrumentation
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import FileSystemCore

@Suite struct NamespaceTests {
    @Test("names that differ as bytes are different files: NFC and NFD, CR LF, blanks", arguments: [""])
    func bytesAreNames(_: String) throws {
        let fixture = CoreFixture()
        let names = [
            "\u{E9}", "e\u{301}", "a\r\nb", "a\nb", " lead", "trail ", "+", "%", "#", "?", "&", "~", "'", "中文",
        ]
        for (index, name) in names.enumerated() { try fixture.store(name, [UInt8(index)]) }
        for (index, name) in names.enumerated() { #expect(fixture.contents(name) == [UInt8(index)]) }
        let listed = Set(try fixture.names().map { Array($0.utf8) })
        #expect(listed == Set(names.map { Array($0.utf8) }))
    }

    @Test("a name that isn't UTF-8 can't be made: EILSEQ")
    func invalidUTF8() {
        let fixture = CoreFixture()
        expectErrno(EILSEQ) {
            _ = try fixture.wait {
                fixture.fileSystem.create(
                    parent: .root, name: [0xFF], mode: 0o644, flags: O_WRONLY, context: fixture.context(), reply: $0)
            }
        }
    }

    @Test("a name that no key can have is absent, without a request, so that its create says what is wrong")
    func impossibleNames() throws {
        let fixture = CoreFixture()
        for name in [[UInt8(0xFF)], Array("\\x".utf8)] {
            let result = try fixture.wait {
                fixture.fileSystem.lookup(parent: .root, name: name, context: fixture.context(), reply: $0)
            }
            guard case .absent = result else {
                Issue.record("found")
                continue
            }
        }
        #expect(fixture.memory.requests == 0)
        expectErrno(EINVAL) { _ = try fixture.create("\\x") }
    }

    @Test("a name of 256 bytes is ENAMETOOLONG, and so is a path past the longest key")
    func tooLong() throws {
        let fixture = CoreFixture()
        expectErrno(ENAMETOOLONG) { _ = try fixture.lookup(String(repeating: "n", count: 256)) }
        var parent = InodeNumber.root
        for _ in 0..<4 {
            let made = try fixture.wait {
                fixture.fileSystem.mkdir(
                    parent: parent, name: [UInt8](repeating: 0x64, count: 250), mode: 0o755,
                    context: fixture.context(), reply: $0)
            }
            parent = made.attributes.inode
        }
        expectErrno(ENAMETOOLONG) { _ = try fixture.create("0123456789012345678901234567890", in: parent) }
    }

    @Test("a directory exists by any key below it, by its marker, and is gone after rmdir")
    func directories() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("implied/x".utf8), [1])
        _ = fixture.memory.seed(ObjectKey("marked/".utf8), [])
        let implied = try #require(try fixture.lookup("implied"))
        #expect(implied.attributes.kind == .directory)
        #expect(try fixture.lookup("marked")?.attributes.kind == .directory)
        #expect(try fixture.names(in: implied.attributes.inode) == ["x"])
        let remove: (String) throws -> Void = { name in
            try fixture.wait {
                fixture.fileSystem.rmdir(parent: .root, name: Array(name.utf8), context: fixture.context(), reply: $0)
            }
        }
        expectErrno(ENOTEMPTY) { try remove("implied") }
        try remove("marked")
        #expect(try fixture.lookup("marked") == nil)
        #expect(fixture.contents("marked/") == nil)
    }

    @Test("a directory that another host made meanwhile is EEXIST, and keeps its marker")
    func mkdirExisting() throws {
        let fixture = CoreFixture()
        #expect(try fixture.names() == [])
        var metadata = ObjectMetadata()
        metadata.user["mode"] = Array("16832".utf8)
        _ = fixture.memory.seed(ObjectKey("d/".utf8), [], metadata: metadata)
        expectErrno(EEXIST) {
            _ = try fixture.wait {
                fixture.fileSystem.mkdir(
                    parent: .root, name: Array("d".utf8), mode: 0o755, context: fixture.context(), reply: $0)
            }
        }
        #expect(fixture.memory.info(ObjectKey("d/".utf8))?.metadata.user["mode"] == Array("16832".utf8))
    }

    @Test("a fresh whole listing answers hits and misses without a request")
    func listingAnswers() throws {
        let fixture = CoreFixture()
        for index in 0..<50 { _ = fixture.memory.seed(ObjectKey("f\(index)".utf8), [1]) }
        #expect(try fixture.names().count == 50)
        fixture.memory.resetRequests()
        for index in 0..<50 { #expect(try fixture.lookup("f\(index)") != nil) }
        for index in 50..<100 { #expect(try fixture.lookup("f\(index)") == nil) }
        #expect(fixture.memory.requests == 0)
    }

    @Test("from the third unknown name on, a directory's listing is fetched instead of two requests a name")
    func listsAfterMisses() throws {
        let fixture = CoreFixture()
        for index in 0..<30 { _ = fixture.memory.seed(ObjectKey("f\(index)".utf8), [1]) }
        for index in 0..<30 { #expect(try fixture.lookup("f\(index)") != nil) }
        #expect(fixture.memory.requests <= 5)
    }

    @Test("when the listing of 5,000 names has run out, a few lookups list again instead of asking two by two")
    func listsAgain() throws {
        let fixture = CoreFixture()
        for index in 0..<5000 { _ = fixture.memory.seed(ObjectKey("f\(index)".utf8), [1]) }
        #expect(try fixture.names().count == 5000)
        fixture.clock.advance(by: .seconds(11))
        fixture.memory.resetRequests()
        for index in 0..<500 { #expect(try fixture.lookup("f\(index)") != nil) }
        #expect(fixture.memory.requests <= 12)
    }

    @Test("a directory too large for two pages is listed once enough names were asked for")
    func listsLarger() throws {
        let fixture = CoreFixture()
        for index in 0..<5000 { _ = fixture.memory.seed(ObjectKey("f\(index)".utf8), [1]) }
        for index in 0..<500 { #expect(try fixture.lookup("f\(index)") != nil) }
        #expect(fixture.memory.requests <= 30)
    }

    @Test("what another host made is seen once the listing is older than its lifetime")
    func expires() throws {
        let fixture = CoreFixture()
        #expect(try fixture.names() == [])
        _ = fixture.memory.seed(ObjectKey("new".utf8), [1])
        #expect(try fixture.lookup("new") == nil)
        fixture.clock.advance(by: .seconds(11))
        #expect(try fixture.lookup("new") != nil)
        #expect(try fixture.names() == ["new"])
    }

    @Test("a file that is not in the bucket yet stays in its directory's listing when that is renewed")
    func unsentStaysListed() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("a".utf8), [1])
        let (inode, handle) = try fixture.create("new")
        try fixture.write([1], inode, handle)
        fixture.clock.advance(by: .seconds(11))
        #expect(try fixture.names() == ["a", "new"])
        #expect(try fixture.lookup("new")?.attributes.inode == inode)
        try fixture.close(inode, handle)
    }

    @Test("a foreign version under a name is another inode, and the kernel is told")
    func anotherInode() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("one".utf8))
        let first = try #require(try fixture.lookup("f")).attributes.inode
        let handle = try fixture.open(first)
        #expect(try fixture.read(first, handle) == Array("one".utf8))
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("second".utf8))
        fixture.clock.advance(by: .seconds(11))
        let second = try #require(try fixture.lookup("f")).attributes.inode
        #expect(second != first)
        #expect(fixture.notified.names.withLock { $0.count } >= 1)
        #expect(try fixture.attributes(first).size == 3, "fstat of the open handle goes on")
        expectErrno(ESTALE) { _ = try fixture.open(first, flags: O_RDWR) }
    }

    @Test("after an open met a foreign version, the name is the new one, though the listing is of before")
    func oldListingAfterReplacement() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("old".utf8))
        #expect(try fixture.names() == ["f"])
        let first = try #require(try fixture.lookup("f")).attributes.inode
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("newer".utf8))
        fixture.clock.advance(by: .seconds(2))
        expectErrno(ESTALE) { _ = try fixture.open(first) }
        // The kernel looks up twice, and forgets the first answer in between.
        let second = try #require(try fixture.lookup("f")).attributes.inode
        fixture.fileSystem.forget(inode: second, count: 1)
        let third = try #require(try fixture.lookup("f")).attributes
        #expect(third.size == 5)
        let handle = try fixture.open(third.inode)
        #expect(try fixture.read(third.inode, handle) == Array("newer".utf8))
    }

    @Test("a change of metadata by another host under the same bytes keeps the inode")
    func sameBytes() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("one".utf8))
        let first = try #require(try fixture.lookup("f")).attributes.inode
        var metadata = ObjectMetadata()
        metadata.user["mode"] = Array("33216".utf8)
        _ = fixture.memory.seed(ObjectKey("f".utf8), Array("one".utf8), metadata: metadata)
        fixture.clock.advance(by: .seconds(11))
        #expect(try fixture.lookup("f")?.attributes.inode == first)
        #expect(try fixture.attributes(first).permissions == 0o700)
    }

    @Test("keys that can't be files are hidden and don't break their directory")
    func hidden() throws {
        let fixture = CoreFixture()
        for key in ["d//x", "d/./y", "d/../z", "d/ok", "d/both", "d/both/in"] {
            _ = fixture.memory.seed(ObjectKey(key.utf8), [1])
        }
        let inode = try #require(try fixture.lookup("d")).attributes.inode
        #expect(try fixture.names(in: inode).sorted() == ["both", "ok"])
        #expect(fixture.recorded.lines().contains { $0.contains("keys hidden") })
    }

    @Test("a renamed file keeps its inode, its bytes and its attributes under the new key")
    func rename() throws {
        let fixture = CoreFixture()
        let inode = try fixture.store("a", Array("body".utf8))
        let move: (String, String, UInt32) throws -> Void = { from, to, flags in
            try fixture.wait {
                fixture.fileSystem.rename(
                    parent: .root, name: Array(from.utf8), newParent: .root, newName: Array(to.utf8), flags: flags,
                    context: fixture.context(), reply: $0)
            }
        }
        try move("a", "b", 0)
        #expect(fixture.contents("a") == nil)
        #expect(fixture.contents("b") == Array("body".utf8))
        #expect(try fixture.lookup("b")?.attributes.inode == inode)
        #expect(try fixture.lookup("a") == nil)
        try fixture.store("c", [9])
        expectErrno(EEXIST) { try move("b", "c", 1) }
        try move("b", "c", 0)
        #expect(fixture.contents("c") == Array("body".utf8))
        expectErrno(EINVAL) { try move("c", "d", 2) }
    }

    @Test("a file renamed before it was ever sent goes out once, under its new name")
    func renameUnsent() throws {
        let fixture = CoreFixture()
        let (inode, handle) = try fixture.create("tmp")
        try fixture.write([1, 2, 3], inode, handle)
        try fixture.wait {
            fixture.fileSystem.rename(
                parent: .root, name: Array("tmp".utf8), newParent: .root, newName: Array("final".utf8), flags: 0,
                context: fixture.context(), reply: $0)
        }
        try fixture.close(inode, handle)
        #expect(fixture.memory.keys.map(\.bytes) == [Array("final".utf8)])
        #expect(fixture.memory.requests(.put) == 1)
    }

    @Test("a file that was never sent leaves nothing where it was renamed to and away again")
    func renameUnsentTwice() throws {
        let fixture = CoreFixture()
        try fixture.store("covered", [9])
        let (inode, handle) = try fixture.create("tmp")
        try fixture.write([1, 2, 3], inode, handle)
        for (name, newName) in [("tmp", "covered"), ("covered", "final")] {
            try fixture.wait {
                fixture.fileSystem.rename(
                    parent: .root, name: Array(name.utf8), newParent: .root, newName: Array(newName.utf8), flags: 0,
                    context: fixture.context(), reply: $0)
            }
        }
        try fixture.close(inode, handle)
        #expect(fixture.memory.keys.map(\.bytes) == [Array("final".utf8)])
        #expect(fixture.contents("final") == [1, 2, 3])
    }

    @Test("two mounts that start in the same second number their files differently")
    func numbersOfTwoMounts() throws {
        let numbers = try (0..<2).map { _ in try CoreFixture().store("f", [1]).rawValue }
        #expect(numbers[0] != numbers[1])
        #expect(numbers[0] >> 40 == numbers[1] >> 40)
    }

    @Test("a directory can't be renamed by one call: EXDEV, so that mv copies")
    func renameDirectory() throws {
        let fixture = CoreFixture()
        _ = fixture.memory.seed(ObjectKey("d/x".utf8), [1])
        expectErrno(EXDEV) {
            try fixture.wait {
                fixture.fileSystem.rename(
                    parent: .root, name: Array("d".utf8), newParent: .root, newName: Array("e".utf8), flags: 0,
                    context: fixture.context(), reply: $0)
            }
        }
    }

    @Test("an unlinked file is gone from the bucket and from the directory")
    func unlink() throws {
        let fixture = CoreFixture()
        try fixture.store("f", [1])
        try fixture.wait {
            fixture.fileSystem.unlink(
                parent: .root, name: Array("f".utf8), context: fixture.context(), reply: $0)
        }
        #expect(fixture.contents("f") == nil)
        #expect(try fixture.lookup("f") == nil)
        #expect(try fixture.names() == [])
    }
}
