/// How requests to the token service are signed: HMAC-SHA1 over all parameters of query and form together.
enum RPCSignature {
    static func stringToSign(method: Bytes, _ parameters: Fields) -> Bytes {
        let items = parameters.all.filter { !$0.name.isEqual(to: "Signature") }
            .map { (PercentCoding.encode($0.name), PercentCoding.encode($0.value)) }
            .sorted { precedes($0.0, $1.0) }
            .map { $0.0 + [0x3D] + $0.1 }
        return method + Bytes("&%2F&") + PercentCoding.encode(items.joined(separator: [0x26]))
    }

    static func signature(_ text: Bytes, secret: Bytes) -> Bytes {
        Digests.base64(Digests.hmacSHA1(key: secret + [0x26], text))
    }
}
