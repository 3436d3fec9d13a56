import Testing

@testable import MountCommand

@Suite struct CredentialsOptionTests {
    private func options(_ words: String...) throws -> MountOptions? {
        let all = ["oss://pictures", "/mnt", "--region=cn-hangzhou"] + words
        return try MountRequest(all.map { Array($0.utf8) }) { _ in nil }?.options
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("keys come from the environment, a file or an auth server")
    func sources() throws {
        #expect(try options()?.credentials == .environment)
        #expect(try options("--credentials", "environment")?.credentials == .environment)
        #expect(
            try options("-o", "credentials=file:/etc/passwd-ossfs")?.credentials == .file(bytes("/etc/passwd-ossfs")))
        #expect(
            try options("--credentials=url:https://h.example:8443/sts?a=b")?.credentials
                == .url(bytes("https://h.example:8443/sts?a=b")))
    }

    @Test(
        "any other source is a wrong usage, and is not repeated, as it may be a key",
        arguments: [
            "", "LTAIsecret", "file:", "url:", "url:secret", "url:ftp://secret", "url:https:///secret",
            "url:https://u:secret@h/", "url:https://h/a secret", "file",
        ])
    func wrong(value: String) throws {
        let error = #expect(throws: CommandError.self) { try options("--credentials=" + value) }
        #expect(error?.code == .usage)
        #expect(error?.text.contains("secret") == false, "\(error?.text ?? "")")
    }

    @Test("headers and a decoder belong to an auth server alone")
    func belonging() throws {
        let url = "--credentials=url:https://h.example/"
        let given = try options(url, "--credentials-headers=/h", "--credentials-decoder", "base64 -d")
        #expect(given?.credentialsHeaders == bytes("/h"))
        #expect(given?.credentialsDecoder == [bytes("base64"), bytes("-d")])
        for word in ["--credentials-headers=/h", "--credentials-decoder=cat"] {
            #expect(throws: CommandError.self) { try options(word) }
            #expect(throws: CommandError.self) { try options("--credentials=file:/p", word) }
        }
        for command in ["'", " ", "a \"b"] {
            #expect(throws: CommandError.self) { try options(url, "--credentials-decoder=" + command) }
        }
    }

    @Test(
        "a command's words are split at blanks outside of quotes",
        arguments: [
            ("a  b\tc", ["a", "b", "c"]), ("sh -c 'echo \"x  y\" | rev'", ["sh", "-c", "echo \"x  y\" | rev"]),
            ("a''b \"\" $HOME", ["ab", "", "$HOME"]), (" ", []),
        ])
    func words(line: String, expected: [String]) {
        #expect(CommandWords.split(bytes(line)) == expected.map { bytes($0) })
    }
}
