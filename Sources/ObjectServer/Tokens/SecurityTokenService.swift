import FoundationEssentials

/// AssumeRole, at the path `/` like the real service, whose signature it checks; answers JSON.
enum SecurityTokenService {
    /// No operation of OSS has a parameter of this name.
    static func claims(_ request: Request) -> Bool {
        request.path == [0x2F] && request.query.contains("Action")
            && (request.method.isEqual(to: "POST") || request.method.isEqual(to: "GET"))
    }

    static let route = Route("POST", .service, .assumeRole) { request, service in
        .receive(
            DocumentReceiver(limitBytes: formLimitBytes) { form in
                do throws(Refusal) {
                    return try assumeRole(request, service, form)
                } catch {
                    return error.reply(to: request)
                }
            })
    }

    /// A policy of 2,048 characters, each escaped, and the rest.
    private static let formLimitBytes = 32 << 10

    private static func assumeRole(
        _ request: Request, _ service: Service, _ form: Bytes
    ) throws(Refusal) -> Reply {
        var parameters = request.query
        parameters.all += Request.parameters(form[...]).all
        guard parameters["Action"]?.isEqual(to: "AssumeRole") ?? false else {
            throw Refusal(404, "InvalidAction.NotFound", "The specified action is not found.")
        }
        try check(request, service, parameters)
        let session = parameters["RoleSessionName"] ?? []
        guard (2...64).contains(session.count), session.allSatisfy(isSessionByte) else {
            throw Refusal(400, "InvalidParameter.RoleSessionName", "The parameter RoleSessionName is wrongly formed.")
        }
        guard let role = parameters["RoleArn"], role.hasPrefix("acs:ram::"), let name = role.split(separator: 0x2F).last
        else { throw Refusal(400, "InvalidParameter.RoleArn", "The parameter RoleArn is wrongly formed.") }
        let seconds = parameters["DurationSeconds"].map { $0.decimal ?? 0 } ?? 3600
        guard (900...43_200).contains(seconds) else {
            throw Refusal(
                400, "InvalidParameter.DurationSeconds", "The Min/Max value of DurationSeconds is 15min/1hr.")
        }
        let keys = service.tokens.issue(seconds: Int64(seconds), now: service.clock.now)
        let owner = Bytes(BucketOperations.ownerID).text ?? ""
        let user = (Bytes(name) + [0x2F] + session).text ?? ""
        return .json(
            200,
            JSON.bytes(
                Answer(
                    requestID: request.requestID.text ?? "",
                    user: .init(arn: "acs:sts::\(owner):assumed-role/\(user)", id: "\(owner):\(session.text ?? "")"),
                    credentials: .init(keys))))
    }

    private static func isSessionByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x40, 0x5F: true
        default: false
        }
    }

    private static func check(
        _ request: Request, _ service: Service, _ parameters: Fields
    ) throws(Refusal) {
        let identifier = parameters["AccessKeyId"] ?? []
        let account = service.tokens.account
        guard let keys = identifier == account.identifier ? account : service.tokens.keys(of: identifier) else {
            throw Refusal(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
        }
        let isRevoked = keys.expiry != nil && service.tokens.revocations.form(of: identifier) != nil
        if isRevoked || keys.expiry.map({ $0 <= service.clock.now }) ?? false {
            throw Refusal(400, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired.")
        }
        guard keys.securityToken == nil || keys.securityToken == parameters["SecurityToken"] else {
            throw Refusal(400, "InvalidSecurityToken.Malformed", "Specified SecurityToken is malformed.")
        }
        let text = RPCSignature.stringToSign(method: request.method, parameters)
        let signature = RPCSignature.signature(text, secret: keys.secret)
        guard Digests.areEqual(signature, parameters["Signature"] ?? []) else {
            throw Refusal(
                400, "SignatureDoesNotMatch",
                "Specified signature is not matched with our calculation. server string to sign is:\(text.text ?? "")")
        }
        guard let moment = Dates.fromISO(parameters["Timestamp"] ?? []),
            abs(moment - service.clock.now) <= Int64(clamping: service.limits.skewSeconds)
        else { throw Refusal(400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.") }
        guard let nonce = parameters["SignatureNonce"], !nonce.isEmpty else {
            throw Refusal(400, "MissingSignatureNonce", "SignatureNonce is mandatory for this action.")
        }
        // A nonce is remembered as long as its time stamp is good.
        let window = 2 * Int64(clamping: service.limits.skewSeconds)
        guard service.nonces.use(identifier + [0] + nonce, now: service.clock.now, window: window) else {
            throw Refusal(400, "SignatureNonceUsed", "Specified signature nonce was used already.")
        }
    }

    /// An error as the token service writes it.
    private struct Refusal: Error {
        let status: Int
        let code: String
        let message: String

        init(_ status: Int, _ code: String, _ message: String) {
            (self.status, self.code, self.message) = (status, code, message)
        }

        func reply(to request: Request) -> Reply {
            let host = request.headers["host"]?.text ?? ""
            let document = [
                "Code": code, "Message": message, "RequestId": request.requestID.text ?? "", "HostId": host,
            ]
            return .json(status, JSON.bytes(document))
        }
    }

    private struct Answer: Encodable {
        struct User: Encodable {
            let arn: String
            let id: String
            enum CodingKeys: String, CodingKey {
                case arn = "Arn"
                case id = "AssumedRoleId"
            }
        }

        let requestID: String
        let user: User
        let credentials: TokenDocument

        enum CodingKeys: String, CodingKey {
            case requestID = "RequestId"
            case user = "AssumedRoleUser"
            case credentials = "Credentials"
        }
    }
}

/// Temporary keys as both services write them.
struct TokenDocument: Encodable {
    let identifier: String
    let secret: String
    let token: String
    let expiration: String

    enum CodingKeys: String, CodingKey {
        case identifier = "AccessKeyId"
        case secret = "AccessKeySecret"
        case token = "SecurityToken"
        case expiration = "Expiration"
    }

    init(_ keys: AccessKeys) {
        identifier = keys.identifier.text ?? ""
        secret = keys.secret.text ?? ""
        token = (keys.securityToken ?? []).text ?? ""
        expiration = Dates.iso(keys.expiry ?? 0).text ?? ""
    }
}

/// Replies of the services that speak JSON.
enum JSON {
    static func bytes(_ value: some Encodable) -> Bytes {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Bytes($0) } ?? []
    }
}
