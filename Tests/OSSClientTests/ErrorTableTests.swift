import HTTPTransport
import Instrumentation
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct ErrorTableTests {
    private func parsed(
        _ status: Int, _ body: String, _ headers: [String: String] = [:], hasKey: Bool = true
    ) -> ErrorResponse {
        let head = HTTPResponseHead(status: status, headers: headers.map { HTTPHeader($0.key, $0.value) })
        return ErrorResponse(head: head, body: Array(body.utf8), hasKey: hasKey)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var code: String
        var kind: ObjectStoreErrorKind
        var repetition: Repetition
        var testDescription: String { "\(status) \(code)" }

        init(_ status: Int, _ code: String, _ kind: ObjectStoreErrorKind, _ repetition: Repetition = .never) {
            self.status = status
            self.code = code
            self.kind = kind
            self.repetition = repetition
        }
    }

    static let rows = [
        Row(301, "PermanentRedirect", .noSuchBucket), Row(307, "TemporaryRedirect", .noSuchBucket),
        Row(304, "NotModified", .preconditionFailed), Row(400, "InvalidArgument", .invalidRequest),
        Row(400, "InvalidObjectName", .invalidRequest), Row(400, "InvalidBucketName", .noSuchBucket),
        Row(400, "InvalidDigest", .corrupted, .doubtful), Row(400, "MalformedXML", .invalidRequest),
        Row(400, "InvalidPart", .invalidRequest), Row(400, "InvalidPartOrder", .invalidRequest),
        Row(400, "EntityTooSmall", .invalidRequest), Row(400, "EntityTooLarge", .tooLarge),
        Row(400, "InvalidRequest", .invalidRequest), Row(400, "InvalidTargetType", .invalidRequest),
        Row(400, "NotSymlink", .invalidRequest), Row(400, "OperationNotSupported", .unsupported),
        Row(400, "InvalidEncryptionRequest", .invalidRequest), Row(400, "FilePartNotExist", .invalidRequest),
        Row(400, "FilePartStale", .invalidRequest), Row(400, "PartNotSequential", .invalidRequest),
        Row(400, "BadRequest", .invalidRequest, .doubtful), Row(400, "RequestTimeout", .unavailable, .backoff),
        Row(400, "ObjectAlreadyExists", .alreadyExists), Row(403, "AccessDenied", .accessDenied),
        Row(403, "SignatureDoesNotMatch", .invalidCredentials),
        Row(403, "InvalidAccessKeyId", .invalidCredentials, .afterRefresh),
        Row(403, "InvalidSecurityToken", .invalidCredentials, .afterRefresh),
        Row(403, "SecurityTokenExpired", .invalidCredentials, .afterRefresh),
        Row(403, "AccessKeyIdAndSecurityTokenNotMatch", .invalidCredentials, .afterRefresh),
        Row(403, "RequestTimeTooSkewed", .clockSkewed, .afterClockCorrection),
        Row(403, "InvalidObjectState", .archived), Row(403, "InDebt", .accessDenied),
        Row(403, "InDebtOverdue", .accessDenied), Row(403, "BucketDisable", .accessDenied),
        Row(403, "UserDisable", .accessDenied), Row(403, "SecondLevelDomainForbidden", .noSuchBucket),
        Row(404, "NoSuchKey", .notFound), Row(404, "NoSuchBucket", .noSuchBucket),
        Row(404, "NoSuchUpload", .noSuchUpload), Row(404, "SymlinkTargetNotExist", .notFound),
        Row(404, "NoSuchVersion", .notFound), Row(405, "MethodNotAllowed", .invalidRequest),
        Row(409, "FileAlreadyExists", .alreadyExists), Row(409, "PositionNotEqualToLength", .preconditionFailed),
        Row(409, "ObjectNotAppendable", .unsupported), Row(409, "FileImmutable", .accessDenied),
        Row(409, "RestoreAlreadyInProgress", .archived), Row(411, "MissingContentLength", .invalidRequest),
        Row(412, "PreconditionFailed", .preconditionFailed), Row(416, "InvalidRange", .invalidRange),
        Row(429, "QpsLimitExceeded", .throttled, .throttled), Row(500, "InternalError", .unavailable, .backoff),
        Row(501, "NotImplemented", .unsupported), Row(503, "ServiceUnavailable", .unavailable, .throttled),
        Row(503, "TotalQpsLimitExceeded", .throttled, .throttled),
        Row(503, "MetaOperationQpsLimitExceeded", .throttled, .throttled),
        Row(503, "DownloadTrafficRateLimitExceeded", .throttled, .throttled),
        Row(503, "UploadTrafficRateLimitExceeded", .throttled, .throttled),
        Row(503, "ActiveRequestLimitExceeded", .throttled, .throttled),
        Row(503, "CpuLimitExceeded", .throttled, .throttled), Row(503, "SomeNewLimitExceeded", .throttled, .throttled),
        // Codes that nobody knows go by their status.
        Row(400, "Novel", .invalidRequest), Row(403, "Novel", .accessDenied), Row(404, "Novel", .unexpected, .doubtful),
        Row(409, "Novel", .unexpected, .doubtful), Row(500, "Novel", .unavailable, .backoff),
        Row(503, "Novel", .unavailable, .throttled),
    ]

    @Test("each code of the service has its kind, and a repeat where one can help", arguments: rows)
    func codes(row: Row) {
        let verdict = Verdict(parsed(row.status, errorDocument(row.code)))
        #expect(verdict.kind == row.kind)
        #expect(verdict.repetition == row.repetition)
    }

    @Test(
        "an answer without a document goes by its status",
        arguments: [
            Row(100, "", .unexpected, .doubtful), Row(302, "", .noSuchBucket), Row(308, "", .noSuchBucket),
            Row(304, "", .preconditionFailed), Row(400, "", .invalidRequest),
            Row(401, "", .invalidCredentials, .doubtful), Row(403, "", .accessDenied),
            Row(404, "", .unexpected, .doubtful), Row(405, "", .invalidRequest),
            Row(408, "", .unavailable, .backoff), Row(411, "", .invalidRequest),
            Row(412, "", .preconditionFailed), Row(413, "", .tooLarge), Row(416, "", .invalidRange),
            Row(418, "", .unexpected, .doubtful), Row(429, "", .throttled, .throttled),
            Row(500, "", .unavailable, .backoff), Row(501, "", .unsupported), Row(502, "", .unavailable, .backoff),
            Row(503, "", .unavailable, .throttled), Row(504, "", .unavailable, .backoff),
            Row(599, "", .unavailable, .backoff), Row(701, "", .unexpected, .doubtful),
        ])
    func statuses(row: Row) {
        for body in ["", "<html>no", "{\"Error\":{}}", "<Other><Code>NoSuchKey</Code></Other>", errorDocument("")] {
            let verdict = Verdict(parsed(row.status, body, hasKey: false))
            #expect(verdict.kind == row.kind, "\(body)")
            #expect(verdict.repetition == row.repetition, "\(body)")
        }
    }

    @Test("every field of an error document is read, and the headers fill in what it lacks")
    func fields() {
        let whole = parsed(
            403, errorDocument("AccessDenied", "<Endpoint>oss-cn-beijing.aliyuncs.com</Endpoint>"))
        #expect(whole.code == "AccessDenied" && whole.message == "told" && whole.requestID == "5C1B")
        #expect(whole.ec == "0026-00000001" && whole.endpoint == "oss-cn-beijing.aliyuncs.com")
        #expect(Verdict(whole).kind == .noSuchBucket)
        #expect(whole.summary == "AccessDenied: told (endpoint oss-cn-beijing.aliyuncs.com)")
        let bare = parsed(
            500, "", ["X-OSS-Request-Id": "R", "x-oss-ec": "E", "date": "Mon, 21 Sep 2026 14:13:20 GMT"])
        #expect(bare.requestID == "R" && bare.ec == "E")
        #expect(bare.serverTime == WallTime(seconds: 1_790_000_000))
    }

    @Test("a HEAD's error comes out of its header, so that a missing bucket is told from a missing object")
    func headErrors() {
        // base64 of <Error><Code>NoSuchBucket</Code></Error> and of the same with NoSuchKey.
        let bucket = ["x-oss-err": "PEVycm9yPjxDb2RlPk5vU3VjaEJ1Y2tldDwvQ29kZT48L0Vycm9yPg=="]
        let object = ["x-oss-err": "PEVycm9yPjxDb2RlPk5vU3VjaEtleTwvQ29kZT48L0Vycm9yPg=="]
        #expect(Verdict(parsed(404, "", bucket)).kind == .noSuchBucket)
        #expect(Verdict(parsed(404, "", object)).kind == .notFound)
        #expect(Verdict(parsed(404, "", ["x-oss-request-id": "R"])).kind == .notFound)
        #expect(Verdict(parsed(404, "")).kind == .unexpected, "a proxy's 404")
        #expect(Verdict(parsed(404, "", ["x-oss-err": "%%%"])).kind == .unexpected)
    }

    @Test(
        "a date that version 4 refuses is a matter of the clock, a region of the bucket, a token's codes of the credentials"
    )
    func specialCases() {
        let date = errorDocument("InvalidArgument").replacing(
            "told", with: "Invalid signing date in Authorization header.")
        #expect(Verdict(parsed(400, date)).repetition == .afterClockCorrection)
        #expect(Verdict(parsed(400, date)).kind == .clockSkewed)
        let region = errorDocument("InvalidArgument").replacing(
            "told", with: "Invalid signing region in Authorization header.")
        #expect(Verdict(parsed(400, region)).kind == .noSuchBucket)
        let token = "<Error><Code>Novel</Code><EC>0002-00000008</EC></Error>"
        #expect(Verdict(parsed(403, token)).repetition == .afterRefresh)
    }

    @Test("texts of the server are cut and cleaned, whatever they hold")
    func hostileTexts() {
        let long = String(repeating: "x", count: 5000)
        #expect(parsed(500, "<Error><Message>\(long)</Message></Error>").message.utf8.count == 1024)
        #expect(ErrorResponse.text([0x61, 0xFF, 0x0A]) == "a??")
        // 3 bytes a character: what is cut off is whole characters.
        let chinese = String(repeating: "错", count: 500)
        #expect(ErrorResponse.text(Array(chinese.utf8)) == String(repeating: "错", count: 341))
        let bomb = "<!DOCTYPE a [<!ENTITY b \"c\">]><Error><Code>NoSuchKey</Code></Error>"
        #expect(parsed(500, bomb).code.isEmpty)
    }
}
