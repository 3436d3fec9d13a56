import HTTPTransport
import Instrumentation
import Testing

@testable import OSSClient

@Suite struct ErrorTableTests {
    private func parsed(
        _ status: Int, _ body: String, _ headers: [String: String] = [:], hasKey: Bool = true
    ) -> ErrorResponse {
        let head = HTTPResponseHead(status: status, headers: headers.map { HTTPHeader($0.key, $0.value) })
        return ErrorResponse(head: head, body: Array(body.utf8), hasKey: hasKey)
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
        let json = parsed(
            403,
            """
             {"Error": {"Code": "AccessDenied", "Message": "told", "RequestId": "5C1B", "EC": "0026-00000001",
             "Endpoint": "oss-cn-beijing.aliyuncs.com", "ServerTime": "2026-09-21T14:13:20.000Z"}}
            """)
        #expect(json.code == "AccessDenied" && json.message == "told" && json.requestID == "5C1B")
        #expect(json.ec == "0026-00000001" && json.endpoint == "oss-cn-beijing.aliyuncs.com")
        #expect(json.serverTime == WallTime(seconds: 1_790_000_000))
        let typed = parsed(404, "{\"message\": \"told\"}", ["x-oss-error-type": "NoSuchBucket"])
        #expect(typed.code == "NoSuchBucket" && typed.message == "told")
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
        for code in ["Novel", "AccessDenied"] {
            let token = "<Error><Code>\(code)</Code><EC>0002-00000008</EC></Error>"
            #expect(Verdict(parsed(403, token)).repetition == .afterRefresh)
        }
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
