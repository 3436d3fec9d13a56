import FileSystemCore
import ObjectStore
import Testing

@testable import FuseBridge

@Suite struct NotificationQueueTests {
    @Test("the same invalidation twice in line is sent once, in the order of the first") func coalescing() throws {
        let queue = NotificationQueue()
        let name = try #require(FileName(Array("a".utf8)))
        queue.invalidateEntry(parent: .root, name: name)
        queue.invalidateInode(InodeNumber(2), dropsPages: true)
        queue.invalidateEntry(parent: .root, name: name)
        queue.invalidateInode(InodeNumber(2), dropsPages: false)
        queue.invalidateInode(InodeNumber(3), dropsPages: false)
        #expect(queue.next() == .entry(parent: .root, name: name))
        #expect(queue.next() == .inode(InodeNumber(2), dropsPages: true))
        #expect(queue.next() == .inode(InodeNumber(3), dropsPages: false))
        queue.stop()
        #expect(queue.next() == nil)
    }

    @Test("a full line drops its oldest and counts them") func bounded() {
        let queue = NotificationQueue()
        for number in 0..<(NotificationQueue.limit * 3) {
            queue.invalidateInode(InodeNumber(UInt64(number)), dropsPages: false)
        }
        #expect(queue.dropped == UInt64(NotificationQueue.limit * 2))
        let first = InodeNumber(UInt64(NotificationQueue.limit * 2))
        #expect(queue.next() == .inode(first, dropsPages: false))
    }
}

@Suite struct MountTableTests {
    private let entries = MountTable.entries(
        in: Array(
            #"""
            36 35 98:0 /mnt1 /mnt\0402\134x rw,noatime master:1 shared:2 - ext3 /dev/root rw
            37 35 0:45 / /a rw - fuse.ossmount oss://b/c\040d rw,user_id=1000
            garbage
            60 22 0:55 / /mnt/none rw shared:3
            """#.utf8))

    @Test("lines are parsed with any number of optional fields, and others skipped") func parsing() {
        #expect(
            entries == [
                MountTableEntry(
                    mountID: 36, device: "98:0", path: Array(#"/mnt 2\x"#.utf8), type: Array("ext3".utf8),
                    source: Array("/dev/root".utf8), superOptions: Array("rw".utf8)),
                MountTableEntry(
                    mountID: 37, device: "0:45", path: Array("/a".utf8), type: Array("fuse.ossmount".utf8),
                    source: Array("oss://b/c d".utf8), superOptions: Array("rw,user_id=1000".utf8)),
            ])
    }

    @Test("our mounts and their users are known by the table alone") func ours() {
        #expect(entries.map(\.isOurs) == [false, true])
        #expect(entries.map(\.userID) == [nil, 1000])
    }
}

@Suite struct DirectoryBufferTests {
    @Test("entries are added until the space asked for is full, none in part") func full() {
        let buffer = DirectoryBuffer(requestedBytes: 100, wantsAttributes: false)
        let name = Array("0123456789".utf8)
        // 24 bytes of head and the name, rounded up to eight.
        #expect(buffer.add(name: name, inode: InodeNumber(5), kind: .regular, entry: nil, nextOffset: 1))
        #expect(buffer.count == 40)
        #expect(buffer.add(name: name, inode: InodeNumber(6), kind: nil, entry: nil, nextOffset: 2))
        #expect(!buffer.add(name: name, inode: InodeNumber(7), kind: nil, entry: nil, nextOffset: 3))
        #expect(buffer.count == 80)
    }
}
