import Glibc
import Instrumentation
import Testing

@testable import FuseBridge

@Suite struct MountErrorTests {
    private func failure(
        _ path: String, allowsOtherUsers: Bool = false, _ preconditions: MountPreconditions
    ) -> FuseMountError? {
        var configuration = FuseConfiguration(mountPoint: Array(path.utf8), source: "x")
        configuration.allowsOtherUsers = allowsOtherUsers
        do {
            _ = try preconditions.check(configuration)
            return nil
        } catch { return error }
    }

    private var asRoot: MountPreconditions { MountPreconditions(devicePath: "/dev/null", isRoot: true) }
    private var asUser: MountPreconditions {
        MountPreconditions(devicePath: "/dev/null", fusermountPaths: ["/bin/sh"], isRoot: false)
    }

    @Test("a mount point that is missing or no directory is told") func mountPoint() {
        #expect(failure("/nonexistent/x", asRoot) == .mountPointMissing)
        #expect(failure("/dev/null", asRoot) == .mountPointNotDirectory)
        #expect(failure("/dev/null/x", asRoot) == .mountPointNotDirectory)
        #expect(FuseMountError.mountPointStale.concernsMountPoint)
        #expect(!FuseMountError.deviceMissing.concernsMountPoint)
    }

    @Test("the mount point comes back absolute and without links") func resolved() throws {
        let configuration = FuseConfiguration(mountPoint: Array("/proc/self/../../tmp/.".utf8), source: "x")
        #expect(try asRoot.check(configuration) == Array("/tmp".utf8))
    }

    @Test("a device that is missing or can't be opened is told") func device() {
        var missing = asRoot
        missing.devicePath = "/dev/nonexistent"
        #expect(failure("/tmp", missing) == .deviceMissing)
        missing.devicePath = "/tmp"
        #expect(failure("/tmp", missing) == .deviceNotOpenable(errno: EISDIR))
        #expect(failure("/tmp", asRoot) == nil)
    }

    @Test("who isn't root needs fusermount3, and leave for allow-other") func user() {
        #expect(failure("/tmp", asUser) == nil)
        var without = asUser
        without.fusermountPaths = ["/nonexistent"]
        #expect(failure("/tmp", without) == .fusermountMissing)
        var configured = asUser
        configured.configurationPath = "/dev/null"
        #expect(failure("/tmp", allowsOtherUsers: true, configured) == .allowOtherRefused)
        #expect(failure("/tmp", configured) == nil)
    }

    @Test("an option that nobody knows is refused with its name") func unknownOption() {
        var configuration = FuseConfiguration(mountPoint: Array("/tmp".utf8), source: "x")
        configuration.extraOptions = ["nonsense"]
        let session = FuseSession(configuration: configuration, log: .silent, preconditions: asRoot)
        do {
            try session.mount()
            Issue.record("mounted")
        } catch { #expect(error.message.contains("nonsense")) }
    }

    @Test("commas in the source don't end the option") func escaping() {
        let configuration = FuseConfiguration(mountPoint: [], source: #"a,b\c"#)
        #expect(configuration.arguments.contains(#"-ofsname=a\,b\\c"#))
        #expect(configuration.arguments.contains("-odefault_permissions"))
    }

    @Test("a path /dev/fd/N is a mount made by somebody else") func descriptor() {
        #expect(MountPreconditions.isDescriptorPath(Array("/dev/fd/7".utf8)))
        #expect(!MountPreconditions.isDescriptorPath(Array("/dev/fd/".utf8)))
        #expect(!MountPreconditions.isDescriptorPath(Array("/dev/fd/7/x".utf8)))
    }
}
