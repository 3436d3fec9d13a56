import Encoding
import FuzzSupport
import HTTPTransport

@testable import OSSClient

/// Error documents, in a body and in the header that carries them for HEAD.
enum ErrorAnswers {
    static func examine(_ input: [UInt8]) throws(Finding) {
        guard !input.isEmpty else { return }
        let status = 300 + Int(Pieces.number(input) % 300)
        let carrying = HTTPHeader("x-oss-err", Base64.encode(input))
        let inBody = ErrorResponse(head: HTTPResponseHead(status: status, headers: []), body: input, hasKey: true)
        let inHeader = ErrorResponse(
            head: HTTPResponseHead(status: status, headers: [carrying]), body: [], hasKey: true)
        try requireEqual(inHeader, inBody, "an error differs between the body and x-oss-err")
        try require(inBody.status == status, "an error lost its status")
        _ = Verdict(inBody)
        let shown = [inBody.code, inBody.message, inBody.requestID, inBody.ec, inBody.endpoint]
        for text in shown { try require(text.utf8.count <= 1024, "an error's text has \(text.utf8.count) bytes") }
        // What is UTF-8 is at most cut, never changed.
        if String(validating: input, as: UTF8.self) != nil {
            try require(input.starts(with: ErrorResponse.text(input).utf8), "a text is not the beginning of what came")
        }
    }
}
