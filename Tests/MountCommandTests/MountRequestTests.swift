import Testing

@testable import MountCommand

@Suite struct MountRequestTests {
    private func address(_ text: String) -> BucketAddress? { try? BucketAddress(Array(text.utf8)) }

    @Test("a prefix becomes the bytes before every key, with one slash at its end")
    func prefixes() {
        #expect(address("oss://pictures")?.prefix == [])
        #expect(address("oss://pictures/")?.prefix == [])
        #expect(address("oss://pictures/a/b")?.prefix == Array("a/b/".utf8))
        #expect(address("oss://pictures/照片/")?.prefix == Array("照片/".utf8))
        #expect(address("oss://pictures/a")?.bucket == "pictures")
    }

    @Test(
        "what can't name a bucket or a folder of it is refused",
        arguments: [
            "pictures", "s3://pictures",
            "oss://pictures/a//b", "oss://pictures/../a", "oss://pictures/.",
        ])
    func refused(text: String) { #expect(address(text) == nil) }

    @Test("a prefix that isn't UTF-8 is refused, as no key of OSS can have it")
    func notUTF8() {
        #expect(throws: CommandError.self) { try BucketAddress(Array("oss://pictures/".utf8) + [0xFF]) }
    }

    @Test("endpoint and region come from the environment where no argument gives them")
    func environment() throws {
        let variables = ["OSS_ENDPOINT": "http://localhost:1", "OSS_REGION": "cn-beijing"]
        let given = try ArgumentParserTests.request("oss://pictures", "/mnt", environment: variables)
        #expect(given?.options.endpoint == Array("http://localhost:1".utf8))
        let both = try ArgumentParserTests.request(
            "oss://pictures", "/mnt", "--region=cn-hangzhou", environment: variables)
        #expect(both?.options.region == "cn-hangzhou")
    }

    @Test("without endpoint and region the request is refused")
    func nowhere() {
        #expect(throws: CommandError.self) { try ArgumentParserTests.request("oss://pictures", "/mnt") }
    }
}

@Suite struct ConfigFileTests {
    private func parse(_ text: String) throws(CommandError) -> MountOptions {
        var options = MountOptions()
        try ConfigFile.parse(Array(text.utf8), named: Array("a.conf".utf8), with: MountRequest.parser)
            .apply(to: &options)
        return options
    }

    @Test("a config file holds one option a line, with comments and blanks around")
    func lines() throws {
        let options = try parse("# ours\n\n  memory = 64MiB\r\nread-only\nallow_other = off\n\tumask=077")
        #expect(options.memoryBytes == 64 << 20)
        #expect(options.isReadOnly)
        #expect(!options.allowsOthers)
        #expect(options.umask == 0o077)
    }

    @Test("blanks and tabs around a name and its value are nothing")
    func tabs() throws {
        #expect(try parse("memory\t=\t64MiB\t").memoryBytes == 64 << 20)
        #expect(try parse("\tread-only \t= \ton\t\r").isReadOnly)
        #expect(try parse("allow-other\t").allowsOthers)
    }

    @Test(
        "an error in a config file names the file and the line",
        arguments: [
            "memory = 64MiB\nmemroy = 1GiB", "\nmemory = lots", "\numask", "\nconfig = b.conf",
        ])
    func errors(text: String) throws {
        do throws(CommandError) {
            _ = try parse(text)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.code == .usage)
            #expect(error.message.hasPrefix("a.conf, line 2: "))
        }
    }

    @Test("a config file that can't be read is a usage error")
    func missing() {
        #expect(throws: CommandError.self) {
            try ArgumentParserTests.request("oss://pictures", "/mnt", "--region=x", "--config=/nonexistent/a.conf")
        }
    }
}
