/// `OSS` with HMAC-SHA1 in the Authorization header.
struct SignatureV1: SignatureScheme {
    private static let word: StaticString = "OSS "

    func claims(_ request: Request) -> Bool { request.headers["authorization"]?.hasPrefix(Self.word) ?? false }

    func check(_ request: Request, _ context: SignatureContext) throws(ServiceError) {
        let header = (request.headers["authorization"] ?? []).dropFirst(Self.word.utf8CodeUnitCount)
        let pair = header.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else {
            throw .invalidArgument(
                "The Authorization header is malformed.", name: "Authorization", ec: "0002-00000207")
        }
        let (identifier, signature) = (Bytes(pair[0]).trimmed, Bytes(pair[1]).trimmed)
        let dates = [request.headers["x-oss-date"], request.headers["date"]].compactMap { $0 }
        guard let date = dates.first, let moment = Self.moment(date) else {
            throw ServiceError(403, "AccessDenied", "OSS authentication requires a valid Date.", ec: "0002-00000501")
        }
        let keys = try context.keys(of: identifier)
        // One official SDK sends the token under a name that isn't signed.
        let token = request.headers["x-oss-security-token"] ?? request.headers["security-token"]
        try SignatureChecker.checkToken(token, keys, context)
        // Where both dates are sent the SDKs don't agree which one is signed.
        let isSigned = dates.contains { date in
            Digests.areEqual(Self.signature(Self.stringToSign(request, date: date), keys), signature)
        }
        guard isSigned else {
            throw SignatureChecker.mismatch(
                identifier: identifier, signature: signature, text: Self.stringToSign(request, date: date))
        }
        try SignatureChecker.checkDate(moment, sent: date, context)
    }

    /// A header's date, or the form of V4's x-oss-date.
    private static func moment(_ date: Bytes) -> Int64? { Dates.fromHeader(date) ?? Dates.fromSigning(date) }

    static func signature(_ text: Bytes, _ keys: AccessKeys) -> Bytes {
        Digests.base64(Digests.hmacSHA1(key: keys.secret, text))
    }

    /// What both sides sign; `date` is a date, or the moment at which a URL expires.
    static func stringToSign(_ request: Request, date: Bytes) -> Bytes {
        var text: Bytes = []
        let lines = [request.method, request.headers["content-md5"] ?? [], request.headers["content-type"] ?? [], date]
        for line in lines { text += line + [0x0A] }
        let signed = request.headers.all.filter { $0.name.hasPrefix("x-oss-") }
        for header in signed.sorted(by: { precedes($0.name, $1.name) }) {
            text += header.name + [0x3A] + header.value + [0x0A]
        }
        return text + resource(request)
    }

    /// The decoded path, then the parameters that make another resource of it, decoded too.
    private static func resource(_ request: Request) -> Bytes {
        var text: Bytes = [0x2F]
        if !request.bucket.isEmpty { text += request.bucket + [0x2F] + request.key }
        let signed = request.query.all.filter { $0.name.hasPrefix("x-oss-") || parameters.contains($0.name) }
        let items = signed.sorted { precedes($0.name, $1.name) }.map { item in
            item.value.isEmpty ? item.name : item.name + [0x3D] + item.value
        }
        return items.isEmpty ? text : text + [0x3F] + Bytes(items.joined(separator: [0x26]))
    }

    /// Those that are signed beside `x-oss-…`; the rest of a query can be changed without the key.
    private static let parameters: Set<Bytes> = Set(
        """
        accessPoint accessPointPolicy acl append asyncFetch bucketArchiveDirectRead bucketInfo callback callback-var \
        cleanRestoredObject cloudboxes cname comp continuation-token cors delete encryption endTime group httpsConfig \
        inventory inventoryId lifecycle link live location logging metaQuery objectInfo objectMeta partNumber policy \
        position publicAccessBlock qos qosInfo qosRequester redundancyTransition referer regionList replication \
        replicationLocation replicationProgress requestPayment requesterQosInfo resourceGroup resourcePool \
        resourcePoolBuckets resourcePoolInfo response-cache-control response-content-disposition \
        response-content-encoding response-content-language response-content-type response-expires restore seal \
        security-token sequential startTime stat status style styleName symlink tagging transferAcceleration uploadId \
        uploads versionId versioning versions vod website worm wormExtend wormId
        """.split(separator: " ").map { Bytes($0.utf8) })
}

/// V1 in the parameters of a URL that is good up to a moment.
struct PresignedV1: SignatureScheme {
    func claims(_ request: Request) -> Bool { request.query.contains("OSSAccessKeyId") }

    func check(_ request: Request, _ context: SignatureContext) throws(ServiceError) {
        let query = request.query
        guard let identifier = query["OSSAccessKeyId"], let signature = query["Signature"],
            let expires = query["Expires"], let end = expires.decimal.map({ Int64(clamping: $0) })
        else {
            throw ServiceError(
                403, "AccessDenied",
                "Query-string authentication requires the Signature, Expires and OSSAccessKeyId parameters",
                ec: "0002-00000061")
        }
        let keys = try context.keys(of: identifier)
        try SignatureChecker.checkToken(
            query["security-token"] ?? request.headers["x-oss-security-token"], keys, context)
        let text = SignatureV1.stringToSign(request, date: expires)
        guard Digests.areEqual(SignatureV1.signature(text, keys), signature) else {
            throw SignatureChecker.mismatch(identifier: identifier, signature: signature, text: text)
        }
        guard context.now <= end else { throw SignatureChecker.expired(at: end, context) }
    }
}
