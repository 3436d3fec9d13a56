import Foundation
import Glibc
import HTTPTransport
import ObjectStore
import Testing

@testable import FileSystemCore
@testable import OSSClient

/// A line of `Tables/errors.txt`.
struct ErrorRow: Sendable, CustomTestStringConvertible {
    var status: Int
    /// Empty for an answer without a code.
    var code: String
    var kind: ObjectStoreErrorKind
    var repetition: Repetition
    var errno: Int32
    var testDescription: String { "\(status) \(code.isEmpty ? "without a known code" : code)" }

    static let all = lines.compactMap(ErrorRow.init)

    /// The lines that should be rows.
    static let lines: [Substring] = {
        guard let url = Bundle.module.url(forResource: "errors", withExtension: "txt", subdirectory: "Tables"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }()

    /// Nil for a comment, and for a line that says nothing known, which the count of lines then shows.
    init?(line: Substring) {
        let words = line.prefix { $0 != "#" }.split(separator: " ")
        guard words.count == 5, let status = Int(words[0]),
            let kind = ObjectStoreErrorKind.allCases.first(where: { "\($0)" == words[2] }),
            let repetition = Self.repetitions[String(words[3])], let errno = Self.numbers[String(words[4])]
        else { return nil }
        self.status = status
        self.kind = kind
        self.repetition = repetition
        self.errno = errno
        code = words[1] == "-" ? "" : String(words[1])
    }

    private static let repetitions: [String: Repetition] = [
        "never": .never, "backoff": .backoff, "throttled": .throttled, "doubtful": .doubtful,
        "clock": .afterClockCorrection, "refresh": .afterRefresh,
    ]
    private static let numbers: [String: Int32] = [
        "EACCES": EACCES, "EEXIST": EEXIST, "EFBIG": EFBIG, "EINVAL": EINVAL, "EIO": EIO, "ENOENT": ENOENT,
        "EOPNOTSUPP": EOPNOTSUPP, "EPERM": EPERM, "ESTALE": ESTALE,
    ]
}

/// What an error answer becomes on its way from the server to the program that called.
@Suite struct ErrorTableTests {
    /// An answer as it comes over the network.
    private struct Answer {
        var name: String
        var headers: [String: String] = [:]
        var body = ""
    }

    private func expect(_ row: ErrorRow, _ answer: Answer) {
        let head = HTTPResponseHead(
            status: row.status, headers: answer.headers.map { HTTPHeader($0.key, $0.value) })
        let response = ErrorResponse(head: head, body: Array(answer.body.utf8), hasKey: true)
        let failure = AttemptFailure(response, .getObject, ObjectKey(Array("a".utf8)))
        #expect(failure.error.kind == row.kind, "\(answer.name)")
        #expect(failure.repetition == row.repetition, "\(answer.name)")
        #expect(failure.error.isRetryable == row.repetition.mayHelpLater, "\(answer.name)")
        #expect(FileSystemError(failure.error).errno == row.errno, "\(answer.name)")
        #expect(failure.error.status == row.status)
    }

    private func document(_ code: String) -> String {
        "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>told</Message></Error>"
    }

    private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    @Test(
        "each code of the service has its kind, its repeat and its errno, in XML, in JSON, and in the header of a HEAD",
        arguments: ErrorRow.all.filter { !$0.code.isEmpty })
    func codes(row: ErrorRow) {
        let json = "{\"Error\":{\"Code\":\"\(row.code)\",\"Message\":\"told\"}}"
        let answers = [
            Answer(name: "XML", body: document(row.code)),
            Answer(name: "HEAD", headers: ["x-oss-err": base64(document(row.code))]),
            Answer(name: "JSON", body: json),
            Answer(name: "HEAD, JSON", headers: ["x-oss-err": base64(json)]),
            Answer(
                name: "a header with the code", headers: ["x-oss-error-type": row.code], body: "{\"message\":\"told\"}"),
        ]
        for answer in answers { expect(row, answer) }
    }

    @Test(
        "an answer that says nothing, or what nobody knows, goes by its status",
        arguments: ErrorRow.all.filter(\.code.isEmpty))
    func statuses(row: ErrorRow) {
        let answers = [
            Answer(name: "empty"), Answer(name: "a page", body: "<html><body>no"),
            Answer(name: "no code", body: document("")), Answer(name: "an unknown code", body: document("Novel")),
            Answer(name: "another document", body: "<Other><Code>NoSuchKey</Code></Other>"),
            Answer(name: "empty JSON", body: "{\"Error\":{}}"),
            Answer(name: "unknown JSON", body: "{\"Error\":{\"Code\":\"Novel\"}}"),
            Answer(name: "other JSON", body: "{\"Code\":\"NoSuchKey\"}"), Answer(name: "broken JSON", body: "{\"Error"),
            Answer(name: "HEAD, unknown", headers: ["x-oss-err": base64(document("Novel"))]),
            Answer(name: "HEAD, no base64", headers: ["x-oss-err": "%%%"]),
        ]
        for answer in answers { expect(row, answer) }
    }

    @Test("the table has a line for every code that the client knows, a line for every status in it, and none twice")
    func completeness() {
        let codes = Set(ErrorRow.all.map(\.code))
        #expect(Verdict.codes.keys.filter { !codes.contains($0) } == [])
        let statuses = Set(ErrorRow.all.filter(\.code.isEmpty).map(\.status))
        #expect(Set(ErrorRow.all.map(\.status)) == statuses)
        #expect(Set(ErrorRow.all.map(\.testDescription)).count == ErrorRow.all.count)
        #expect(ErrorRow.all.count == ErrorRow.lines.count, "a line can't be read")
    }

    @Test("an object is absent only by OSS's own word: a code, or a request id beside a HEAD's bare 404")
    func absence() throws {
        let row = try #require(ErrorRow(line: "404 - notFound never ENOENT"))
        expect(row, Answer(name: "HEAD of OSS", headers: ["x-oss-request-id": "5C1B"]))
    }

    @Test("whatever the code is, a token that the fine-grained code names is renewed")
    func tokens() throws {
        let row = try #require(ErrorRow(line: "403 - invalidCredentials refresh EACCES"))
        for code in ["AccessDenied", "Novel"] {
            for ec in ["0002-00000003", "0002-00000004", "0002-00000006", "0002-00000008"] {
                expect(row, Answer(name: ec, body: "<Error><Code>\(code)</Code><EC>\(ec)</EC></Error>"))
            }
        }
    }
}
