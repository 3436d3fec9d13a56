/// Temporary keys, made from the account's own: what they are and how long they live stands in their identifier, so
/// that only what was taken back is kept, and a server started anew still takes those that it gave out.
struct TokenIssuer: Sendable {
    /// `STS.`, the expiry and a random number, both of 16 digits.
    static let prefix: StaticString = "STS."
    private static let identifierBytes = 4 + 16 + 16

    let account: AccessKeys
    /// The longest life that is given, in seconds.
    var longestSeconds: Int64 = 3600
    let revocations = Revocations()

    init(account: AccessKeys) { self.account = account }

    /// New keys for `seconds`, or the longest life if that is shorter.
    func issue(seconds: Int64, now: Int64) -> AccessKeys {
        let expiry = now + min(seconds, longestSeconds)
        let digits = withUnsafeBytes(of: UInt64(bitPattern: expiry).bigEndian) { hexadecimal($0, upperCase: true) }
        let identifier = Bytes(Self.prefix) + digits + hexadecimal(Digests.random(8), upperCase: true)
        revocations.issued(identifier)
        return keys(identifier, expiry: expiry)
    }

    /// The keys that go by this identifier, expired or not; nil where it is none of ours.
    func keys(of identifier: Bytes) -> AccessKeys? {
        guard identifier.count == Self.identifierBytes, identifier.hasPrefix(Self.prefix),
            let digits = Bytes(identifier[4..<20]).text, let expiry = UInt64(digits, radix: 16)
        else { return nil }
        return keys(identifier, expiry: Int64(bitPattern: expiry))
    }

    private func keys(_ identifier: Bytes, expiry: Int64) -> AccessKeys {
        let secret = Digests.hmacSHA256(key: account.secret, Bytes("secret ") + identifier)
        let token = Digests.hmacSHA256(key: account.secret, Bytes("token ") + identifier)
        var keys = AccessKeys(
            identifier: identifier, secret: hexadecimal(secret),
            securityToken: Bytes("CAIS") + Digests.base64(token))
        keys.expiry = expiry
        return keys
    }
}
