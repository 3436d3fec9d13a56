import Credentials
import Encoding
import FuzzSupport
import Instrumentation

/// JSON documents, and the auth servers' replies among them: an input is one document.
enum JSONReplies: FuzzTarget {
    static let name = "json-replies"

    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        let value = JSONValue(parsing: input)
        if let value { try examineValue(value, input) }
        try examineCredentials(input, value, isPlanted: isPlanted)
    }

    private static func examineValue(_ value: JSONValue, _ input: [UInt8]) throws(Finding) {
        try require(JSONText.depth(value) <= 33, "a document deeper than the bound")
        let text = JSONText.text(value)
        guard let again = JSONValue(parsing: text) else { throw Finding("a document can't be read again: \(value)") }
        try require(
            JSONText.isWritten(value, as: again), "a document is another one when it is read again:\n\(value)\n\(again)"
        )
        try requireEqual(JSONValue(parsing: [0x20, 0x0A] + input + [0x09]), value, "blanks change a document")
        switch value {
        case .array, .object:
            // Its last byte that isn't a blank closes it.
            let end = input.lastIndex { !" \t\r\n".utf8.contains($0) } ?? 0
            try require(JSONValue(parsing: Array(input[..<end])) == nil, "a document that isn't closed is read")
            try require(JSONValue(parsing: input + Array("{}".utf8)) == nil, "two documents are read as one")
        case .null, .bool, .integer, .number, .string: break
        }
    }

    private static func examineCredentials(
        _ input: [UInt8], _ value: JSONValue?, isPlanted: Bool
    ) throws(Finding) {
        let outcome: Result<Credentials, CredentialsError>
        do throws(CredentialsError) {
            outcome = .success(try AuthServerReply.credentials(input))
        } catch {
            outcome = .failure(error)
        }
        switch outcome {
        case .success(let credentials): try examineFound(credentials, value, isPlanted: isPlanted)
        case .failure(let error):
            try require(error.message.utf8.count < 500, "a message of \(error.message.utf8.count) bytes")
            try require(!Pieces.steersTerminals(error.message), "a message steers terminals: \(error.message)")
            guard let secret = value?["AccessKeySecret"]?.text, secret.utf8.count >= 16 else { return }
            // Words of the server's own are shown, whatever it writes there.
            let told = ["ErrorCode", "ErrorMessage"].compactMap { value?[$0]?.text }
            guard !told.contains(where: { $0.contains(secret) }) else { return }
            try require(!error.message.contains(secret), "a message shows the secret")
        }
    }

    private static func examineFound(
        _ credentials: Credentials, _ value: JSONValue?, isPlanted: Bool
    ) throws(Finding) {
        for part in [credentials.accessKeyID, credentials.accessKeySecret, credentials.securityToken ?? [0x61]] {
            try require(!part.isEmpty && part.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a part that no header can carry")
        }
        try requireEqual(value?["StatusCode"]?.wholeNumber, 200, "credentials of a refusal")
        try requireEqual(value?["Expiration"] != nil, credentials.expiry != nil, "an expiry is lost")
        var members: [String: JSONValue] = ["StatusCode": .string("200")]
        members["AccessKeyId"] = JSONText.string(credentials.accessKeyID)
        members["AccessKeySecret"] = JSONText.string(credentials.accessKeySecret)
        members["SecurityToken"] = credentials.securityToken.map(JSONText.string)
        members["Expiration"] = credentials.expiry.map { JSONText.string($0.iso8601Text) }
        // Parts of a second are not written.
        let whole = credentials.expiry.map { WallTime(seconds: $0.seconds) }
        guard let again = try? AuthServerReply.credentials(JSONText.text(.object(members))) else {
            throw Finding("credentials can't be read again: \(members)")
        }
        try requireEqual(again.accessKeyID, credentials.accessKeyID, "another id when it is read again")
        try requireEqual(again.accessKeySecret, credentials.accessKeySecret, "another secret when it is read again")
        try requireEqual(again.securityToken, credentials.securityToken, "another token when it is read again")
        try requireEqual(again.expiry, whole, "another expiry when it is read again")
        guard isPlanted else { return }
        let expires = whole?.seconds ?? 0
        try throwPlanted(ifAll: [expires > 0, credentials.securityToken == nil, expires > 4_000_000_000])
    }
}
