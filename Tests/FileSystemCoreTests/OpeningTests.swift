import FileSystemCore
import Glibc
import Instrumentation
import ObjectStore
import Runtime
import TestSupport
import Testing

@Suite struct OpeningTests {
    private let fixture = CoreFixture()

    private func put(_ name: String, _ bytes: [UInt8]) throws {
        _ = try fixture.memory.put(PutRequest(key: ObjectKey(name.utf8)), body: BytesBody(bytes), .test)
    }

    /// A file of `count` bytes that was looked up two seconds ago.
    private func known(_ count: Int) throws -> (inode: InodeNumber, bytes: [UInt8]) {
        var generator = SeededGenerator(seed: 1)
        let bytes = generator.bytes(count)
        try put("f", bytes)
        let entry = try #require(try fixture.lookup("f"))
        fixture.clock.advance(by: .seconds(2))
        fixture.memory.resetRequests()
        return (entry.attributes.inode, bytes)
    }

    @Test("opening and reading a known small file is one GET, which is the revalidation too")
    func oneRequest() throws {
        let (inode, bytes) = try known(300_000)
        let handle = try fixture.open(inode)
        #expect(try fixture.read(inode, handle) == bytes)
        #expect(try fixture.attributes(inode).size == 300_000)
        #expect(fixture.memory.requests == 1)
        #expect(fixture.memory.requests(.get) == 1)
        try fixture.release(inode, handle)
    }

    @Test("opening a small file whose bytes are all here asks by HEAD")
    func cached() throws {
        let (inode, bytes) = try known(300_000)
        let first = try fixture.open(inode)
        #expect(try fixture.read(inode, first) == bytes)
        try fixture.release(inode, first)
        fixture.clock.advance(by: .seconds(2))
        fixture.memory.resetRequests()
        let second = try fixture.open(inode)
        #expect(try fixture.read(inode, second) == bytes)
        #expect(fixture.memory.requests == 1)
        #expect(fixture.memory.requests(.head) == 1)
    }

    @Test("a large file is opened by HEAD")
    func large() throws {
        let (inode, _) = try known(9 << 20)
        _ = try fixture.open(inode)
        #expect(fixture.memory.requests(.get) == 0)
        #expect(fixture.memory.requests(.head) == 1)
    }

    @Test("a small file that was replaced is stale at open, and its new name's inode has the new bytes")
    func replaced() throws {
        let (inode, _) = try known(300_000)
        try put("f", [1, 2, 3])
        #expect { try fixture.open(inode) } throws: { ($0 as? FileSystemError)?.errno == ESTALE }
        let entry = try #require(try fixture.lookup("f"))
        #expect(entry.attributes.inode != inode)
        let handle = try fixture.open(entry.attributes.inode)
        #expect(try fixture.read(entry.attributes.inode, handle) == [1, 2, 3])
    }

    @Test("open is answered at the headers, while the bytes are still on their way")
    func atTheHeaders() throws {
        let (inode, bytes) = try known(300_000)
        let gate = Gate()
        fixture.store.order(.stall(afterBytes: 100_000, gate), on: .get)
        let handle = try fixture.open(inode)
        #expect(try fixture.read(inode, handle, 0..<50_000) == Array(bytes[0..<50_000]))
        gate.open()
        #expect(try fixture.read(inode, handle) == bytes)
    }

    @Test("a server that is out of order doesn't keep a file from being opened that is known well enough")
    func unavailable() throws {
        let (inode, _) = try known(300_000)
        fixture.store.order(.error(.unavailable), on: .get)
        _ = try fixture.open(inode)
        #expect(fixture.memory.requests(.head) == 0)
    }

    @Test("fallocate makes a file longer, and refuses what an object can't do")
    func allocate() throws {
        let (inode, handle) = try fixture.create("new", flags: O_RDWR)
        try fixture.write([7], inode, handle)
        func allocate(_ mode: Int32, _ offset: Int64, _ count: Int64, _ id: HandleID) throws {
            try fixture.wait { reply in
                fixture.fileSystem.fallocate(
                    inode: inode, handle: id, mode: mode, offset: offset, count: count, context: fixture.context(),
                    reply: reply)
            }
        }
        try allocate(0, 10, 90, handle)
        #expect(try fixture.read(inode, handle) == [7] + [UInt8](repeating: 0, count: 99))
        try allocate(1, 0, 5000, handle)
        try allocate(0, 0, 50, handle)
        #expect(try fixture.attributes(inode).size == 100)
        // Punching a hole (2 with KEEP_SIZE), zeroing a range (16).
        for mode: Int32 in [3, 16] {
            #expect { try allocate(mode, 0, 10, handle) } throws: { ($0 as? FileSystemError)?.errno == EOPNOTSUPP }
        }
        #expect { try allocate(0, .max - 1, 10, handle) } throws: { ($0 as? FileSystemError)?.errno == EFBIG }
        #expect { try allocate(0, 0, 10, HandleID(999)) } throws: { ($0 as? FileSystemError)?.errno == EBADF }
    }
}
