/// `OSS4-HMAC-SHA256` in the Authorization header.
struct SignatureV4: SignatureScheme {
    static let algorithm: StaticString = "OSS4-HMAC-SHA256"
    private static let terminator: StaticString = "aliyun_v4_request"

    func claims(_ request: Request) -> Bool { request.headers["authorization"]?.hasPrefix(Self.algorithm) ?? false }

    func check(_ request: Request, _ context: SignatureContext) throws(ServiceError) {
        let authorization = try Authorization(request.headers["authorization"] ?? [])
        let date = try signingDate(of: request, authorization)
        let keys = try authorization.keys(in: context)
        guard let payload = request.headers["x-oss-content-sha256"], payload.isEqual(to: "UNSIGNED-PAYLOAD") else {
            throw .invalidArgument(
                "x-oss-content-sha256 should be UNSIGNED-PAYLOAD in V4 signature.", name: "x-oss-content-sha256",
                value: request.headers["x-oss-content-sha256"] ?? [])
        }
        try SignatureChecker.checkToken(request.headers["x-oss-security-token"], keys, context)
        try authorization.check(request, date: date, keys)
        // Last, so that a caller with the wrong keys doesn't learn to mend its clock first.
        try SignatureChecker.checkDate(Dates.fromSigning(date) ?? 0, sent: date, context, isVersion4: true)
    }

    private func signingDate(of request: Request, _ authorization: Authorization) throws(ServiceError) -> Bytes {
        guard let date = request.headers["x-oss-date"], Dates.fromSigning(date) != nil else {
            throw ServiceError(
                403, "AccessDenied", "OSS authentication requires a valid Date.", ec: "0002-00000501")
        }
        guard Bytes(date.prefix(8)) == authorization.day else {
            throw .invalidArgument(
                "Invalid signing date in Authorization header.", name: "Date", value: authorization.day)
        }
        return date
    }

    /// The request as both sides write it down, `additional` being the names that the client chose to sign too.
    static func canonicalRequest(_ request: Request, additional: [Bytes]) -> Bytes {
        var resource: Bytes = [0x2F]
        if !request.bucket.isEmpty { resource += request.bucket + [0x2F] + request.key }
        let names = Set(additional)
        let signed = request.headers.all.filter { header in
            header.name.hasPrefix("x-oss-") || header.name.isEqual(to: "content-type")
                || header.name.isEqual(to: "content-md5") || names.contains(header.name)
        }
        var lines: Bytes = []
        for header in signed.sorted(by: { precedes($0.name, $1.name) }) {
            lines += header.name + [0x3A] + header.value + [0x0A]
        }
        let parts = [
            request.method, PercentCoding.encode(resource, keepsSlash: true), canonicalQuery(request.query), lines,
            Bytes(additional.joined(separator: [0x3B])), Bytes("UNSIGNED-PAYLOAD"),
        ]
        return Bytes(parts.joined(separator: [0x0A]))
    }

    private static func canonicalQuery(_ query: Fields) -> Bytes {
        // The signature of a presigned URL can't sign itself.
        let items = query.all.filter { !$0.name.isEqual(to: "x-oss-signature") }.map {
            (PercentCoding.encode($0.name), PercentCoding.encode($0.value))
        }
        let sorted = items.sorted { $0.0 == $1.0 ? precedes($0.1, $1.1) : precedes($0.0, $1.0) }
        return Bytes(sorted.map { $0.1.isEmpty ? $0.0 : $0.0 + [0x3D] + $0.1 }.joined(separator: [0x26]))
    }

    static func stringToSign(_ canonical: Bytes, date: Bytes, scope: Bytes) -> Bytes {
        let lines = [Bytes(algorithm), date, scope, hexadecimal(Digests.sha256(canonical))]
        return Bytes(lines.joined(separator: [0x0A]))
    }

    fileprivate static func signature(_ text: Bytes, secret: Bytes, _ authorization: Authorization) -> Bytes {
        let day = Digests.hmacSHA256(key: Bytes("aliyun_v4") + secret, authorization.day)
        let region = Digests.hmacSHA256(key: day, authorization.region)
        let product = Digests.hmacSHA256(key: region, Bytes("oss"))
        let key = Digests.hmacSHA256(key: product, Bytes(terminator))
        return hexadecimal(Digests.hmacSHA256(key: key, text))
    }

    /// The header's parts. Both spellings are taken: with and without blanks after the commas, the parts in any order.
    struct Authorization {
        var identifier: Bytes = []
        var day: Bytes = []
        var region: Bytes = []
        var scope: Bytes = []
        var additionalHeaders: [Bytes] = []
        var signature: Bytes = []

        init(_ header: Bytes) throws(ServiceError) {
            for item in header.dropFirst(SignatureV4.algorithm.utf8CodeUnitCount).split(separator: 0x2C) {
                let pair = item.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
                let name = Bytes(pair[0]).trimmed
                let value = pair.count > 1 ? Bytes(pair[1]).trimmed : []
                if name.isEqual(to: "Credential") {
                    try takeCredential(value)
                } else if name.isEqual(to: "AdditionalHeaders") {
                    try takeAdditionalHeaders(value)
                } else if name.isEqual(to: "Signature") {
                    signature = value
                }
            }
            guard !identifier.isEmpty, !signature.isEmpty else {
                throw .invalidArgument(
                    "The Authorization header is malformed.", name: "Authorization", ec: "0002-00000207")
            }
        }

        /// From the parameters of a presigned URL.
        init(_ query: Fields) throws(ServiceError) {
            try takeCredential(query["x-oss-credential"] ?? [])
            if let names = query["x-oss-additional-headers"] { try takeAdditionalHeaders(names) }
            signature = query["x-oss-signature"] ?? []
        }

        /// The keys that this is to be signed with, in the server's region.
        func keys(in context: SignatureContext) throws(ServiceError) -> AccessKeys {
            guard region == context.region else {
                throw .invalidArgument("Invalid signing region in Authorization header.", name: "Region", value: region)
            }
            return try context.keys(of: identifier)
        }

        func check(_ request: Request, date: Bytes, _ keys: AccessKeys) throws(ServiceError) {
            let canonical = SignatureV4.canonicalRequest(request, additional: additionalHeaders)
            let text = SignatureV4.stringToSign(canonical, date: date, scope: scope)
            guard Digests.areEqual(SignatureV4.signature(text, secret: keys.secret, self), signature) else {
                throw SignatureChecker.mismatch(
                    identifier: identifier, signature: signature, text: text, canonicalRequest: canonical)
            }
        }

        private mutating func takeCredential(_ value: Bytes) throws(ServiceError) {
            let parts = value.split(separator: 0x2F, omittingEmptySubsequences: false).map { Bytes($0) }
            guard parts.count == 5, parts[3].isEqual(to: "oss"), parts[4].isEqual(to: SignatureV4.terminator) else {
                throw .invalidArgument(
                    "Invalid credential in Authorization header.", name: "Credential", value: value,
                    ec: "0002-00000208")
            }
            (identifier, day, region) = (parts[0], parts[1], parts[2])
            scope = Bytes(parts.dropFirst().joined(separator: [0x2F]))
        }

        private mutating func takeAdditionalHeaders(_ value: Bytes) throws(ServiceError) {
            let names = value.split(separator: 0x3B, omittingEmptySubsequences: false).map { Bytes($0) }
            guard !value.isEmpty else {
                throw .invalidArgument(
                    "AdditionalHeaders in Authorization header is empty.", name: "AdditionalHeaders",
                    ec: "0002-00000209")
            }
            guard !names.contains([]) else {
                throw .invalidArgument(
                    "AdditionalHeaders in Authorization header has an empty name.", name: "AdditionalHeaders",
                    value: value, ec: "0002-00000210")
            }
            additionalHeaders = names.map(\.lowercasedASCII).sorted(by: precedes)
        }
    }
}
