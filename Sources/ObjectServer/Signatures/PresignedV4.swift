/// `OSS4-HMAC-SHA256` in the parameters of a URL that is good for a while.
struct PresignedV4: SignatureScheme {
    /// A week: OSS's own limit.
    private static let longestSeconds: UInt64 = 604_800

    func claims(_ request: Request) -> Bool { request.query.contains("x-oss-signature-version") }

    func check(_ request: Request, _ context: SignatureContext) throws(ServiceError) {
        let query = request.query
        guard let version = query["x-oss-signature-version"], version.isEqual(to: SignatureV4.algorithm) else {
            throw .invalidArgument(
                "Invalid signature version in Query String.", name: "x-oss-signature-version",
                value: query["x-oss-signature-version"] ?? [], ec: "0002-00000221")
        }
        let authorization = try SignatureV4.Authorization(query)
        guard let date = query["x-oss-date"], let start = Dates.fromSigning(date),
            Bytes(date.prefix(8)) == authorization.day
        else {
            throw .invalidArgument(
                "Invalid signing date in Query String.", name: "x-oss-date", value: query["x-oss-date"] ?? [])
        }
        let text = query["x-oss-expires"] ?? []
        guard let seconds = text.decimal, (1...Self.longestSeconds).contains(seconds) else {
            throw .invalidArgument(
                "Invalid expires parameter in Query String.", name: "x-oss-expires", value: text, ec: "0002-00000232")
        }
        let keys = try authorization.keys(in: context)
        try SignatureChecker.checkToken(query["x-oss-security-token"], keys, context)
        try authorization.check(request, date: date, keys)
        // It may be used long after it was made, but not long before.
        if start > context.now { try SignatureChecker.checkDate(start, sent: date, context) }
        let end = start + Int64(seconds)
        guard context.now <= end else { throw SignatureChecker.expired(at: end, context) }
    }
}
