import FuseBridge
import Testing

@testable import MountCommand

@Suite struct ExitCodeTests {
    private func run(_ words: String...) -> ExitCode { MountCommand.run(words.map { Array($0.utf8) }) }

    @Test("the numbers are those that scripts rely on")
    func numbers() { #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8]) }

    @Test(
        "wrong usage ends with 2",
        arguments: [
            [], ["mont"], ["mount"], ["mount", "oss://pictures"], ["mount", "pictures", "/mnt", "--region=x"],
            ["mount", "oss://pictures", "/mnt"], ["mount", "oss://pictures", "/mnt", "--region=x", "--nosuch"],
            ["oss://pictures"], ["mount", "oss://A", "/mnt", "--region=x"], ["mount", "oss://", "/mnt", "--region=x"],
            ["mount", "oss://pictures", "/mnt", "--endpoint=ftp://x"],
            ["mount", "oss://pictures", "/mnt", "--region=X!"],
            ["umount"], ["umount", "/a", "/b"], ["umount", "/a", "--timeout=soon"],
        ] as [[String]])
    func usage(words: [String]) { #expect(MountCommand.run(words.map { Array($0.utf8) }) == .usage) }

    @Test(
        "help and version end with 0", arguments: [["--help"], ["--version"], ["mount", "--help"], ["umount", "-h"]])
    func help(words: [String]) { #expect(MountCommand.run(words.map { Array($0.utf8) }) == .success) }

    @Test("a failed probe ends with the number of its kind")
    func probes() {
        #expect(ExitCode(probe: .invalidCredentials) == .credentials)
        #expect(ExitCode(probe: .accessDenied) == .credentials)
        #expect(ExitCode(probe: .noSuchBucket) == .bucket)
        #expect(ExitCode(probe: .unavailable) == .unreachable)
        #expect(ExitCode(probe: .throttled) == .unreachable)
        #expect(ExitCode(probe: .clockSkewed) == .date)
        #expect(ExitCode(probe: .corrupted) == .failure)
    }

    @Test("every reason why a mount can't be made has its number")
    func mountErrors() {
        let directory = Array("/mnt".utf8)
        for error in [
            FuseMountError.mountPointMissing, .mountPointNotDirectory, .mountPointStale, .mountPointNotPermitted,
            .alreadyMounted,
        ] {
            #expect(CommandError(error, on: directory).code == .mountPoint)
            #expect(CommandError(error, on: directory).message.contains("/mnt"))
        }
        for error in [
            FuseMountError.deviceMissing, .deviceNotOpenable(errno: 13), .fusermountMissing, .allowOtherRefused,
        ] {
            #expect(CommandError(error, on: directory).code == .fuse)
            #expect(!CommandError(error, on: directory).remedy.isEmpty)
        }
    }

    @Test("a directory with entries is no mount point")
    func emptiness() {
        #expect(throws: CommandError.self) { try MountPoint.checkEmpty(Array("/etc".utf8)) }
    }

    @Test("what isn't mounted can't be unmounted, which is told with 6")
    func unmounted() { #expect(run("umount", "/etc") == .mountPoint) }
}

@Suite struct ConsoleTests {
    @Test("what would steer a terminal is shown as its number")
    func printableBytes() {
        #expect(printable(Array("a照\u{1B}[2J\n".utf8)) == "a照\\x1b[2J\\x0a")
        #expect(printable([0xFF]) == "\u{FFFD}")
    }
}
