/// The one account that may use the server.
package struct AccessKeys: Sendable {
    package var identifier: Bytes
    package var secret: Bytes
    /// nil for a long-term pair; else every request must carry it.
    package var securityToken: Bytes?
    /// Until when they are taken, in seconds since 1970; nil for ever.
    var expiry: Int64?

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
    /// By how many seconds a request's date may differ.
    var allowedSkewSeconds: Int64 = 900
    /// What gave out temporary keys; nil where nothing does.
    var tokens: TokenIssuer?
    var answers = ServiceAnswers()

    /// The keys that go by this identifier, or the refusal that OSS gives for one that it doesn't know.
    func keys(of identifier: Bytes) throws(ServiceError) -> AccessKeys {
        if identifier == keys.identifier { return keys }
        if let temporary = tokens?.keys(of: identifier) { return temporary }
        throw Self.unknown(identifier)
    }

    static func unknown(_ identifier: Bytes) -> ServiceError {
        ServiceError(
            403, "InvalidAccessKeyId", "The OSS Access Key Id you provided does not exist in our records.",
            ec: "0002-00000902", details: [.init(name: "OSSAccessKeyId", value: identifier)])
    }
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
    static let schemes: [any SignatureScheme] = [SignatureV4(), PresignedV4(), SignatureV1(), PresignedV1()]

    static func check(_ request: Request, _ context: SignatureContext) throws(ServiceError) {
        let claimed = schemes.filter { $0.claims(request) }
        guard claimed.count <= 1 else {
            throw .invalidArgument("Only one signature may be given: in the header or in the URL.", name: "Signature")
        }
        if let scheme = claimed.first {
            do throws(ServiceError) {
                return try scheme.check(request, context)
            } catch {
                var refusal = error
                if context.answers.mismatch == .bare, refusal.code.isEqual(to: "SignatureDoesNotMatch") {
                    refusal.details = []
                }
                throw refusal
            }
        }
        guard !request.headers.contains("authorization") else {
            throw .invalidArgument(
                "The authorization type you provided is not supported.", name: "Authorization", ec: "0002-00000001")
        }
        throw ServiceError(
            403, "AccessDenied", "You have no right to access this object because of bucket acl.", ec: "0003-00000001")
    }

    static func checkDate(
        _ moment: Int64, sent: Bytes, _ context: SignatureContext, isVersion4: Bool = false
    ) throws(ServiceError) {
        guard abs(moment - context.now) > context.allowedSkewSeconds else { return }
        if isVersion4, context.answers.farDate == .invalid {
            throw .invalidArgument("Invalid signing date in Authorization header.", name: "Date", value: sent)
        }
        throw ServiceError(
            403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.",
            ec: "0002-00000504",
            details: [
                .init(name: "MaxAllowedSkewMilliseconds", value: Bytes(String(context.allowedSkewSeconds * 1000).utf8)),
                .init(name: "RequestTime", value: Dates.xml(moment)),
                .init(name: "ServerTime", value: Dates.xml(context.now)),
            ])
    }

    /// The token that came with the request against the one that the keys call for.
    static func checkToken(
        _ sent: Bytes?, _ keys: AccessKeys, _ context: SignatureContext
    ) throws(ServiceError) {
        if let expiry = keys.expiry, expiry <= context.now {
            throw expiredToken(keys, context.answers.expiredToken)
        }
        switch context.tokens?.revocations.form(of: keys.identifier) {
        case .expired: throw expiredToken(keys, context.answers.expiredToken)
        case .invalid: throw invalidToken
        case nil: break
        }
        switch (keys.securityToken, sent) {
        case (nil, nil): return
        case (let expected?, let sent?) where Digests.areEqual(expected, sent): return
        case (_?, nil):
            throw ServiceError(
                403, "InvalidSecurityToken", "The security token is missing.", ec: "0002-00000003")
        default: throw invalidToken
        }
    }

    private static let invalidToken = ServiceError(
        403, "InvalidSecurityToken", "The security token you provided is invalid.", ec: "0002-00000006")

    private static func expiredToken(_ keys: AccessKeys, _ answer: ServiceAnswers.ExpiredToken) -> ServiceError {
        switch answer {
        case .expired: ServiceError(403, "SecurityTokenExpired", "The security token you provided has expired.")
        case .invalid: invalidToken
        case .unknown: SignatureContext.unknown(keys.identifier)
        case .denied:
            ServiceError(403, "AccessDenied", "The security token you provided has expired.", ec: "0002-00000008")
        }
    }

    /// What an address that was good for a while gets afterwards.
    static func expired(at moment: Int64, _ context: SignatureContext) -> ServiceError {
        ServiceError(
            403, "AccessDenied", "Request has expired.", ec: "0002-00000069",
            details: [
                .init(name: "Expires", value: Dates.xml(moment)),
                .init(name: "ServerTime", value: Dates.xml(context.now)),
            ])
    }

    static func mismatch(
        identifier: Bytes, signature: Bytes, text: Bytes, canonicalRequest: Bytes? = nil
    ) -> ServiceError {
        var details: [ServiceError.Detail] = [
            .init(name: "OSSAccessKeyId", value: identifier), .init(name: "SignatureProvided", value: signature),
            .init(name: "StringToSign", value: text), .init(name: "StringToSignBytes", value: hexadecimal(text)),
        ]
        if let canonicalRequest { details.append(.init(name: "CanonicalRequest", value: canonicalRequest)) }
        return ServiceError(
            403, "SignatureDoesNotMatch",
            """
            The request signature we calculated does not match the signature you provided. \
            Check your key and signing method.
            """,
            ec: "0002-00000040", details: details)
    }
}
