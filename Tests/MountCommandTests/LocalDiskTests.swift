import Glibc
import TestSupport
import Testing

@testable import MountCommand

@Suite struct LocalDiskTests {
    /// What `cache-dir=path` leads to, before anything is mounted at `mountPoint`.
    private func disk(_ path: String, mountPoint: String = "/nowhere") throws -> LocalDisk {
        let words = ["oss://pictures", mountPoint, "--region=cn-hangzhou", "--cache-dir=\(path)"]
        let request = try #require(try MountRequest(words.map { Array($0.utf8) }) { _ in nil })
        return try LocalDisk.open(
            request, endpoint: Array("https://localhost".utf8), mountPoint: Array(mountPoint.utf8))
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder.path)
    }

    @Test("the usual folder is the system's for root, and the user's own else")
    func standard() {
        func folder(isRoot: Bool, _ variables: [String: String]) -> [UInt8]? {
            LocalDisk.standardFolder(isRoot: isRoot) { variables[$0].map { Array($0.utf8) } }
        }
        #expect(folder(isRoot: true, ["XDG_CACHE_HOME": "/x"]) == Array("/var/cache/ossmount".utf8))
        #expect(folder(isRoot: false, ["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == Array("/x/ossmount".utf8))
        #expect(folder(isRoot: false, ["HOME": "/h"]) == Array("/h/.cache/ossmount".utf8))
        #expect(folder(isRoot: false, ["XDG_CACHE_HOME": "x", "HOME": "/h"]) == Array("/h/.cache/ossmount".utf8))
        #expect(folder(isRoot: false, [:]) == nil)
    }

    @Test("none means no folder")
    func none() throws {
        let disk = try disk("none")
        #expect(disk.descriptors.isEmpty)
    }

    @Test("a folder that is asked for is refused where the mount would hide it", arguments: ["", "/cache", "/cache/a"])
    func below(path: String) throws {
        try withFolder { folder in
            let mountPoint = folder + "/mount"
            #expect(mkdir(mountPoint, 0o700) == 0)
            #expect {
                _ = try disk(mountPoint + path, mountPoint: mountPoint)
            } throws: {
                ($0 as? CommandError)?.code == .usage
                    && ($0 as? CommandError)?.message.contains("lies in a mounted bucket") == true
            }
        }
    }

    @Test("a folder that is asked for and can't be made is refused with its name")
    func notAFolder() throws {
        try withFolder { folder in
            close(open(folder + "/file", O_CREAT | O_WRONLY, 0o600))
            #expect {
                _ = try disk(folder + "/file/cache")
            } throws: {
                ($0 as? CommandError)?.code == .usage
                    && ($0 as? CommandError)?.message.contains(folder + "/file/cache") == true
            }
        }
    }
}
