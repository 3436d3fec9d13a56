import Credentials
import FuzzSupport
import HTTPTransport

/// Password files and files of request headers, whose words must never come up in a message.
enum SecretFiles {
    private static let path = Array("/etc/passwd-oss".utf8)

    static func examine(_ input: [UInt8]) throws(Finding) {
        try examinePasswords(input)
        try examineHeaders(input)
    }

    private static func examinePasswords(_ input: [UInt8]) throws(Finding) {
        let credentials: Credentials
        do throws(CredentialsError) {
            credentials = try PasswordFileProvider.parse(input, named: path, bucket: Array("photos".utf8))
        } catch {
            return try examine(error, input)
        }
        let id = String(validating: credentials.accessKeyID, as: UTF8.self) ?? ""
        try requireEqual("\(credentials)", "Credentials(\(id))", "credentials describe more than their id")
        // Without a bucket before it an id with `#` begins a comment.
        let isComment = credentials.accessKeyID.first == UInt8(ascii: "#")
        for (before, after) in [
            (isComment ? "photos:" : "", ""), ("photos:", "\n"), ("# keys\r\n\r\n photos : ", "\t\r\nother:a:b\r\n"),
        ] {
            let text =
                Array(before.utf8) + credentials.accessKeyID + [0x3A] + credentials.accessKeySecret + Array(after.utf8)
            let again = try? PasswordFileProvider.parse(text, named: path, bucket: Array("photos".utf8))
            try requireEqual(again, credentials, "a password file is another one when it is read again")
        }
    }

    private static func examineHeaders(_ input: [UInt8]) throws(Finding) {
        let headers: [HTTPHeader]
        do throws(CredentialsError) {
            headers = try AuthServerSource.parse(input, named: path)
        } catch {
            return try examine(error, input)
        }
        var text: [UInt8] = []
        for header in headers {
            try require(!header.name.isEmpty, "a header without a name")
            try require(
                header.value.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }, "a value with control characters")
            text += Array("\(header.name)\t: ".utf8) + header.value + Array(" \r\n".utf8)
        }
        let again = try? AuthServerSource.parse(text, named: path)
        try requireEqual(again, headers, "headers are others when they are read again")
    }

    private static func examine(_ error: CredentialsError, _ input: [UInt8]) throws(Finding) {
        try require(!Pieces.steersTerminals(error.message), "a complaint steers terminals: \(error.message)")
        // 14 bytes: longer than any word of a message; shorter ones may stand there by chance.
        let words = input.split { !(0x21...0x7E).contains($0) || $0 == UInt8(ascii: ":") }.filter { $0.count >= 14 }
        for word in words {
            guard let secret = String(validating: word, as: UTF8.self), !"/etc/passwd-oss".contains(secret) else {
                continue
            }
            try require(!error.message.contains(secret), "a message shows what is in the file: \(error.message)")
        }
    }
}
