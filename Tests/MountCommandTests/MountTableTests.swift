import Testing

@testable import MountCommand

@Suite struct MountTableTests {
    private let text = #"""
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        57 22 0:52 / /mnt/my\040pictures\134x rw,nosuid,nodev shared:3 master:1 - fuse.ossmount oss://pictures rw,user_id=1000,group_id=1000
        58 22 0:53 / /mnt/a rw - tmpfs tmpfs rw
        59 22 0:54 / /mnt/a ro - fuse.ossmount oss://b/c\040d ro,user_id=0
        broken line
        60 22 0:55 / /mnt/none rw shared:3
        """#

    private var entries: [MountEntry] { MountTable.parse(Array(text.utf8)) }

    @Test("lines are read with any number of optional fields, and broken ones skipped")
    func lines() {
        #expect(entries.map(\.mountID) == [22, 57, 58, 59])
        #expect(entries.map(\.device) == ["254:0", "0:52", "0:53", "0:54"])
    }

    @Test("octal escapes in paths and sources become bytes")
    func escapes() {
        #expect(entries[1].mountPoint == Array(#"/mnt/my pictures\x"#.utf8))
        #expect(entries[3].source == Array("oss://b/c d".utf8))
        #expect(MountTable.unescaped(Array(#"\377\12"#.utf8)[...]) == [0xFF] + Array(#"\12"#.utf8))
    }

    @Test("the mounting user is read from the super block's options")
    func user() {
        #expect(entries[1].userID == 1000)
        #expect(entries[3].userID == 0)
        #expect(entries[0].userID == nil)
    }

    @Test("of two mounts on one directory the later is on top")
    func top() {
        #expect(MountTable.top(at: Array("/mnt/a".utf8), in: entries)?.mountID == 59)
        #expect(MountTable.top(at: Array("/mnt".utf8), in: entries) == nil)
        #expect(MountTable.top(at: Array("/mnt/a".utf8), in: entries)?.isOurs == true)
    }
}

@Suite struct OpenFilesTests {
    @Test("the mount of a descriptor is the number after mnt_id in its fdinfo")
    func mountID() {
        #expect(OpenFiles.mountID(inFdinfo: Array("pos:\t0\nflags:\t02\nmnt_id:\t57\nino:\t5\n".utf8)) == 57)
        #expect(OpenFiles.mountID(inFdinfo: Array("pos:\t0\n".utf8)) == nil)
    }
}
