import Glibc
import Runtime
import Testing

@testable import Credentials

@Suite struct PasswordFileTests {
    private func parse(_ content: String, bucket: String = "photos") throws(CredentialsError) -> String {
        let found = try PasswordFileProvider.parse(bytes(content), named: bytes("/p"), bucket: bytes(bucket))
        return text(found.accessKeyID) + " " + text(found.accessKeySecret)
    }

    @Test("comments, blank lines and blanks don't count; a bucket's own line counts before the general one")
    func lines() throws {
        let content = "# keys\n\n  general:one \r\nphotos:own:two\nother:third:three\n"
        #expect(try parse(content) == "own two")
        #expect(try parse(content, bucket: "music") == "general one")
        #expect(try parse("a:b") == "a b")
        #expect(try parse(" photos : own : two \nother:three:four") == "own two")
    }

    @Test(
        "what isn't credentials is an error that names the line and shows nothing of it",
        arguments: [
            ("", "a line neither"), ("other:id:\(marker)", "a line neither"), ("\(marker)", "line 1"),
            ("#\na:b:c:\(marker)", "line 2"), ("a:\(marker)\nb:\(marker)", "1 and 2"), (":\(marker)", "line 1"),
            ("a:\(marker) x", "line 1"), ("photos:a:\(marker)\nphotos:b:\(marker)", "1 and 2"),
        ])
    func malformed(content: String, words: String) throws {
        let error = try #require(failure { () throws(CredentialsError) in try parse(content) })
        #expect(error.message.contains(words), "\(error.message)")
        #expect(!error.message.contains(marker))
    }

    @Test(
        "a file that group or others can touch is refused, and says what to do",
        arguments: [0o640, 0o604, 0o620, 0o601])
    func modes(mode: mode_t) throws {
        let file = try TemporaryFile("id:\(marker)", mode: mode)
        defer { file.remove() }
        let provider = PasswordFileProvider(path: bytes(file.path), bucket: "photos")
        let error = try #require(failure { () throws(CredentialsError) in try provider.credentials(deadline: .now) })
        #expect(error.kind == .malformed)
        #expect(error.message.contains("chmod 600 \(file.path)"))
        #expect(!error.message.contains(marker))
    }

    @Test("a file that is absent, a folder or a pipe is an error, at once")
    func noFile() throws {
        let pipe = try TemporaryFile("")
        pipe.remove()
        defer { pipe.remove() }
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for path in ["/no/such/file", "/tmp", pipe.path] {
            let provider = PasswordFileProvider(path: bytes(path), bucket: "photos")
            let error = failure { () throws(CredentialsError) in try provider.credentials(deadline: .now) }
            #expect(error?.message.contains(path) == true)
        }
    }

    @Test("keys that were refused are read again: others where the file has changed, none where it hasn't")
    func rereads() throws {
        let file = try TemporaryFile("first:one")
        defer { file.remove() }
        let provider = PasswordFileProvider(path: bytes(file.path), bucket: "photos")
        let first = try provider.credentials(deadline: .now)
        #expect(try provider.forceRefresh(rejected: first, deadline: .now) == nil)
        try file.write("second:two")
        #expect(text(try #require(try provider.forceRefresh(rejected: first, deadline: .now)).accessKeyID) == "second")
        #expect(text(try provider.credentials(deadline: .now).accessKeyID) == "second")
        try file.write("third:three", mode: 0o644)
        #expect(throws: CredentialsError.self) { try provider.forceRefresh(rejected: first, deadline: .now) }
        #expect(text(try provider.credentials(deadline: .now).accessKeyID) == "second", "the old ones stay")
    }
}
