/// `GET /-/credentials`: temporary keys in the JSON that the mobile SDKs take from an app's own server.
///
/// Unlike the admin's paths it is counted, faulted and delayed, as tests want to see a mount live with that.
package enum AuthServer {
    /// How it answers.
    package struct Options: Equatable, Sendable {
        /// What a request must carry: names in lower case.
        package var headers: [Header] = []
        /// `StatusCode` as text; both are met.
        package var writesStatusAsText = false
        /// The reply goes out in base64, for clients that decode it by a command of their own.
        package var encodesReply = false

        package struct Header: Equatable, Sendable {
            package var name: Bytes
            package var value: Bytes
        }

        package init() {}
    }

    private static let path: StaticString = "/-/credentials"

    static func claims(_ request: Request) -> Bool {
        !request.isVirtualHosted && request.path.isEqual(to: path) && request.method.isEqual(to: "GET")
    }

    static let route = Route("GET", .service, .getCredentials) { request, service in
        .reply(answer(request, service, service.auth))
    }

    private static func answer(_ request: Request, _ service: Service, _ options: Options) -> Reply {
        var document: Bytes
        if options.headers.allSatisfy({ header in
            request.headers[header.name].map { Digests.areEqual($0, header.value) } ?? false
        }) {
            let keys = service.tokens.issue(seconds: service.tokens.longestSeconds, now: service.clock.now)
            document = JSON.bytes(
                Granted(status: .init(200, asText: options.writesStatusAsText), keys: TokenDocument(keys)))
        } else {
            document = JSON.bytes(
                Denied(
                    status: .init(403, asText: options.writesStatusAsText), code: "AccessDenied",
                    message: "A header that this server demands is missing or wrong."))
        }
        if options.encodesReply { document = Digests.base64(document) }
        return options.encodesReply ? .text(200, document) : .json(200, document)
    }

    private struct Status: Encodable {
        let number: Int
        let isText: Bool

        init(_ number: Int, asText: Bool) {
            self.number = number
            isText = asText
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if isText { try container.encode(String(number)) } else { try container.encode(number) }
        }
    }

    private struct Granted: Encodable {
        let status: Status
        let keys: TokenDocument

        enum CodingKeys: String, CodingKey { case status = "StatusCode" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(status, forKey: .status)
            try keys.encode(to: encoder)
        }
    }

    private struct Denied: Encodable {
        let status: Status
        let code: String
        let message: String

        enum CodingKeys: String, CodingKey {
            case status = "StatusCode"
            case code = "ErrorCode"
            case message = "ErrorMessage"
        }
    }
}
