import Glibc
import Instrumentation
import TestSupport
import Testing

@testable import LocalStore

@Suite struct CacheFolderTests {
    /// A temporary root, removed after `body`.
    private func withRoot(_ body: ([UInt8]) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(Array((folder.path + "/cache/ossmount").utf8))
    }

    private func open(
        _ root: [UInt8], prefix: String = "", random: UInt32 = 1
    ) throws -> CacheFolder {
        try CacheFolder(
            root: root, endpoint: Array("https://localhost".utf8), bucket: Array("pictures".utf8),
            prefix: Array(prefix.utf8),
            identity: MountIdentity(host: 7, startedAt: WallTime(seconds: 1_790_000_000), random: random))
    }

    private func mode(_ path: [UInt8]) -> UInt32? {
        var status = stat()
        return stat(String(decoding: path, as: UTF8.self), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("the folder and what is in it are for this user alone")
    func modes() throws {
        try withRoot { root in
            let folder = try open(root)
            #expect(mode(root) == 0o700)
            #expect(mode(folder.path) == 0o700)
            #expect(mode(folder.path + Array("/mounts/".utf8) + folder.identity.bytes) == 0o700)
            #expect(mode(folder.path + Array("/lock".utf8)) == 0o600)
        }
    }

    @Test("another prefix of the same bucket has a folder of its own")
    func prefixes() throws {
        try withRoot { root in
            let (whole, part) = (try open(root), try open(root, prefix: "a/", random: 2))
            #expect(whole.path != part.path)
            #expect(whole.isFirst && part.isFirst)
        }
    }

    @Test("a second mount of the same is not the first, has its own files, and sees the other alive")
    func second() throws {
        try withRoot { root in
            let first = try open(root)
            let second = try open(root, random: 2)
            #expect(first.path == second.path)
            #expect(first.isFirst && !second.isFirst)
            #expect(first.deadMounts().isEmpty)
            #expect(second.deadMounts().isEmpty)
        }
    }

    @Test("a mount that ended without tidying up is dead, and swept by one start alone")
    func dead() throws {
        try withRoot { root in
            do { _ = try open(root) }
            let (one, other) = (try open(root, random: 2), try open(root, random: 3))
            #expect(one.isFirst)
            do {
                let dead = one.deadMounts()
                #expect(dead.map(\.identity.bytes) == [Array("00000007-6ab13b80-00000001".utf8)])
                #expect(other.deadMounts().isEmpty)
                dead.first?.remove()
            }
            #expect(one.deadMounts().isEmpty)
            #expect(other.deadMounts().isEmpty)
        }
    }

    @Test("a mount that tidied up is not dead")
    func removed() throws {
        try withRoot { root in
            do { try open(root).remove() }
            #expect(try open(root, random: 2).deadMounts().isEmpty)
        }
    }

    @Test("names that are no mount's are left alone")
    func foreignNames() throws {
        try withRoot { root in
            let folder = try open(root)
            let stray = folder.path + Array("/mounts/notes".utf8)
            #expect(mkdir(String(decoding: stray, as: UTF8.self), 0o700) == 0)
            #expect(folder.deadMounts().isEmpty)
            #expect(mode(stray) != nil)
        }
    }

    @Test("a root that is a file is refused with its path")
    func notAFolder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/file"
        Glibc.close(Glibc.open(path, O_CREAT | O_WRONLY, 0o600))
        #expect {
            _ = try open(Array(path.utf8))
        } throws: {
            guard let error = $0 as? CacheFolderError else { return false }
            return error.errno == ENOTDIR && error.path == Array(path.utf8)
        }
    }
}

@Suite struct MountIdentityTests {
    @Test("an identity is read back from its own bytes alone")
    func parsing() {
        let identity = MountIdentity(host: 0x3fa9_4c21, startedAt: WallTime(seconds: 0x6d2f_1b3c), random: 0x9d03_c7aa)
        #expect(identity.bytes == Array("3fa94c21-6d2f1b3c-9d03c7aa".utf8))
        #expect(MountIdentity(identity.bytes) == identity)
        for wrong in ["", "3fa94c21-6d2f1b3c-9d03c7a", "3fa94c21-6d2f1b3c-9d03c7aaa", "3FA94C21-6d2f1b3c-9d03c7aa"] {
            #expect(MountIdentity(wrong.utf8) == nil)
        }
    }

    @Test("two starts on one host differ, and know that it is one host")
    func making() {
        let (one, other) = (MountIdentity.make(), MountIdentity.make())
        #expect(one != other)
        #expect(one.isSameHost(as: other))
    }

    @Test("containers of one image are different hosts by their names")
    func hosts() {
        let machine = Array("3d1219c7c4c5404aaa1f6d2a48adfda4".utf8)
        #expect(MountIdentity.host(machineID: machine, name: [1]) != MountIdentity.host(machineID: machine, name: [2]))
    }
}
