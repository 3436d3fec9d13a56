/// The one account that may use the server.
package struct AccessKeys: Sendable {
    package var identifier: Bytes
    package var secret: Bytes
    /// nil for a long-term pair; else every request must carry it.
    package var securityToken: Bytes?

    package init(identifier: Bytes, secret: Bytes, securityToken: Bytes?) {
        self.identifier = identifier
        self.secret = secret
        self.securityToken = securityToken
    }
}

/// What a signature is checked against.
struct SignatureContext: Sendable {
    var keys: AccessKeys
    var region: Bytes
    /// The server's clock, in seconds since 1970.
    var now: Int64
}

/// One way of signing a request.
protocol SignatureScheme: Sendable {
    /// True if `request` claims to be signed this way.
    func claims(_ request: Request) -> Bool
    /// Throws what OSS answers where the signature doesn't hold.
    func check(_ request: Request, _ context: SignatureContext) throws(ServiceError)
}

/// Finds the scheme of a request and lets it check.
struct SignatureChecker: Sendable {
    /// Later schemes are added here.
    static let schemes: [any SignatureScheme] = [SignatureV4()]

    /// Fifteen minutes: OSS's own limit, which its error names in milliseconds.
    static let allowedSkewSeconds: Int64 = 900

    static func check(_ request: Request, _ context: SignatureContext) throws(ServiceError) {
        for scheme in schemes where scheme.claims(request) { return try scheme.check(request, context) }
        guard !request.headers.contains("authorization") else {
            throw .invalidArgument(
                "The authorization type you provided is not supported.", name: "Authorization", ec: "0002-00000001")
        }
        throw ServiceError(
            403, "AccessDenied", "You have no right to access this object because of bucket acl.", ec: "0003-00000001")
    }

    static func checkDate(_ moment: Int64, sent: Bytes, _ context: SignatureContext) throws(ServiceError) {
        guard abs(moment - context.now) > allowedSkewSeconds else { return }
        throw ServiceError(
            403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.",
            ec: "0002-00000504",
            details: [
                .init(name: "MaxAllowedSkewMilliseconds", value: Bytes(String(allowedSkewSeconds * 1000).utf8)),
                .init(name: "RequestTime", value: Dates.xml(moment)),
                .init(name: "ServerTime", value: Dates.xml(context.now)),
            ])
    }

    /// The token that came with the request against the one that the keys call for.
    static func checkToken(_ sent: Bytes?, _ context: SignatureContext) throws(ServiceError) {
        switch (context.keys.securityToken, sent) {
        case (nil, nil): return
        case (let expected?, let sent?) where Digests.areEqual(expected, sent): return
        case (_?, nil):
            throw ServiceError(
                403, "InvalidSecurityToken", "The security token is missing.", ec: "0002-00000003")
        default:
            throw ServiceError(
                403, "InvalidSecurityToken", "The security token you provided is invalid.", ec: "0002-00000006")
        }
    }

    static func unknownIdentifier(_ identifier: Bytes) -> ServiceError {
        ServiceError(
            403, "InvalidAccessKeyId", "The OSS Access Key Id you provided does not exist in our records.",
            ec: "0002-00000902", details: [.init(name: "OSSAccessKeyId", value: identifier)])
    }
}
