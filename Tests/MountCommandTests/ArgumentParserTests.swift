import Instrumentation
import Testing

@testable import MountCommand

@Suite struct ArgumentParserTests {
    static func request(_ words: String..., environment: [String: String] = [:]) throws(CommandError) -> MountRequest? {
        try MountRequest(words.map { Array($0.utf8) }) { environment[$0].map { Array($0.utf8) } }
    }

    static func options(_ words: String...) throws -> MountOptions {
        let all = ["oss://pictures", "/mnt", "--region", "cn-hangzhou"] + words
        return try #require(try MountRequest(all.map { Array($0.utf8) }) { _ in nil }).options
    }

    static func failure(_ words: String...) -> CommandError? {
        let all = ["oss://pictures", "/mnt", "--region", "cn-hangzhou"] + words
        do throws(CommandError) {
            _ = try MountRequest(all.map { Array($0.utf8) }) { _ in nil }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "one value is read alike after --name, after --name=, and after -o",
        arguments: [
            ["--memory", "64MiB"], ["--memory=64MiB"], ["-o", "memory=64MiB"], ["-omemory=64MiB"],
            ["-o", "rw,memory=64MiB,noauto"],
        ])
    func threeForms(words: [String]) throws {
        let all = ["oss://pictures", "/mnt", "--region=cn-hangzhou"] + words
        let request = try #require(try MountRequest(all.map { Array($0.utf8) }) { _ in nil })
        #expect(request.options.memoryBytes == 64 << 20)
    }

    @Test("of two values for one option the later counts")
    func laterCounts() throws {
        #expect(try Self.options("--memory=64MiB", "-o", "memory=128MiB").memoryBytes == 128 << 20)
        #expect(try Self.options("-o", "memory=128MiB", "--memory=64MiB").memoryBytes == 64 << 20)
        #expect(try Self.options("-o", "ro,rw").isReadOnly == false)
        #expect(try Self.options("--read-only", "-o", "rw").isReadOnly, "mount(8) passes rw by itself")
    }

    @Test("every option is read into its field")
    func everyOption() throws {
        let options = try Self.options(
            "--endpoint=http://127.0.0.1:9", "--addressing=path", "--signature=v4", "--credentials=environment",
            "--ca-file=/etc/ca.pem", "--memory=1GiB", "--metadata-ttl=500ms", "--nonempty", "--read-only",
            "--allow-other", "--uid=1000", "--gid=1001", "--umask=027", "-f", "--start-timeout=3s",
            "--log-level=debug", "--log-file=/var/log/ossmount.log", "--core-dumps=on")
        var expected = MountOptions()
        expected.endpoint = Array("http://127.0.0.1:9".utf8)
        expected.region = "cn-hangzhou"
        expected.addressing = .path
        expected.signature = .v4
        expected.caFile = Array("/etc/ca.pem".utf8)
        expected.memoryBytes = 1 << 30
        expected.metadataTTL = .milliseconds(500)
        expected.allowsNonEmpty = true
        expected.isReadOnly = true
        expected.allowsOthers = true
        expected.uid = 1000
        expected.gid = 1001
        expected.umask = 0o027
        expected.isForeground = true
        expected.startTimeout = .seconds(3)
        expected.logLevel = .debug
        expected.logFile = Array("/var/log/ossmount.log".utf8)
        expected.allowsCoreDumps = true
        #expect(options == expected)
    }

    @Test("the words that fstab passes are taken, and those for the kernel are kept, the later of two opposites")
    func mountWords() throws {
        let options = try Self.options(
            "-o",
            "rw,dev,suid,nodev,nosuid,noatime,_netdev,auto,user,nofail,x-systemd.automount,comment=a b,allow_other")
        #expect(options.kernelWords == ["nodev", "nosuid", "noatime"])
        #expect(options.allowsOthers)
        #expect(try Self.options("-o", "ro").isReadOnly)
    }

    @Test("a comma inside a value is written with a backslash before it")
    func escapedComma() throws {
        #expect(try Self.options("-o", #"log-file=/var/a\,b.log,ro"#).logFile == Array("/var/a,b.log".utf8))
    }

    @Test("paths may hold any bytes")
    func bytePaths() throws {
        let directory: [UInt8] = [0x2F, 0xFF, 0xFE]
        let request = try MountRequest([Array("oss://pictures".utf8), Array("--region=x".utf8), directory]) { _ in nil }
        #expect(request?.directory == directory)
    }

    @Test("after -- everything is an operand")
    func doubleDash() throws {
        #expect(try Self.request("--region=x", "--", "oss://pictures", "--dir")?.directory == Array("--dir".utf8))
    }

    @Test(
        "an unknown option is refused with the nearest name",
        arguments: [
            ("--memroy=1GiB", "memory"), ("--metadata_tll=1s", "metadata-ttl"), ("--readonly", "read-only"),
            ("--endpont=x", "endpoint"),
        ])
    func nearest(word: String, name: String) throws {
        let error = try #require(Self.failure(word))
        #expect(error.code == .usage)
        #expect(error.remedy.contains("did you mean \(name)?"))
    }

    @Test("an unknown word after -o is refused too")
    func unknownWord() throws {
        #expect(Self.failure("-o", "rw,zzzzzz")?.code == .usage)
    }

    @Test("a key as an argument is refused, and not repeated")
    func secretArgument() throws {
        let error = try #require(Self.failure("--access-key-secret=hunter2"))
        #expect(error.code == .usage)
        #expect(!error.text.contains("hunter2"))
    }

    @Test(
        "a value out of its range is refused, and the range is told",
        arguments: [
            ("--memory=1MiB", "8MiB"), ("--memory=2TiB", "1TiB"), ("--start-timeout=0", "1s"), ("--umask=1000", "777"),
            ("--metadata-ttl=25h", "24h"), ("--addressing=dns", "virtual"), ("--log-level=loud", "warning"),
            ("--memory=12MB", "MiB"), ("--uid=-1", "whole number"), ("--nonempty=maybe", "off"),
            ("--block-size=2KiB", "4KiB"), ("--block-size=12KiB", "power of two"),
        ])
    func outOfRange(word: String, told: String) throws {
        let error = try #require(Self.failure(word))
        #expect(error.code == .usage)
        #expect(error.message.contains(told))
    }

    @Test("block-size, which is for tests, is taken and not shown")
    func hidden() throws {
        #expect(try Self.options("--block-size=4KiB").blockBytes == 4096)
        #expect(!Help.mount.contains("block-size") && !Help.markdownTable.contains("block-size"))
    }

    @Test("an option that needs a value is refused without one", arguments: [["--memory"], ["-o", "memory"], ["-o"]])
    func missingValue(words: [String]) throws {
        let all = ["oss://pictures", "/mnt"] + words
        #expect(throws: CommandError.self) { try MountRequest(all.map { Array($0.utf8) }) { _ in nil } }
    }

    @Test("a bucket and a directory are needed, and no more")
    func operands() {
        #expect(throws: CommandError.self) { try Self.request("oss://pictures") }
        #expect(throws: CommandError.self) { try Self.request("oss://pictures", "/a", "/b") }
    }

    @Test("--help asks for help, whatever else stands there")
    func help() throws {
        #expect(try Self.request("--help") == nil)
        #expect(try Self.request("oss://pictures", "-h") == nil)
    }
}
