import Encoding
import HTTPTransport
import Instrumentation
import ObjectStore

/// An error answer, parsed once: from the body, or on HEAD from the header that carries the same document.
struct ErrorResponse: Sendable, Hashable {
    var status: Int
    /// Whether the request was about one object.
    var hasKey: Bool
    /// `NoSuchKey`; empty where the answer told none.
    var code = ""
    var message = ""
    var requestID = ""
    /// The fine-grained code, `0026-00000001`.
    var ec = ""
    /// Where the bucket is served instead; empty where not told.
    var endpoint = ""
    /// The server's clock when it answered.
    var serverTime: WallTime?
    /// The length of an object that an append didn't find as long as it thought.
    var appendPosition: Int64?
    /// The delete marker that stands in the object's place.
    var deleteMarker: VersionID?

    /// 64 KiB: the longest error documents repeat a canonical request, some KiB.
    static let maximumBodyBytes = 64 * 1024
    /// Texts are for people and logs.
    private static let maximumTextBytes = 1024

    init(status: Int, hasKey: Bool) {
        self.status = status
        self.hasKey = hasKey
    }

    init(head: HTTPResponseHead, body: [UInt8], hasKey: Bool) {
        self.init(status: head.status, hasKey: hasKey)
        var document = body
        if body.isEmpty, let carried = head.value(of: "x-oss-err") { document = Base64.decode(carried) ?? [] }
        let fields = ErrorDocument.read(document, type: head.value(of: "x-oss-error-type") ?? [])
        code = Self.text(fields.code)
        message = Self.text(fields.message)
        requestID = Self.text(fields.requestID)
        ec = Self.text(fields.ec)
        endpoint = Self.text(fields.endpoint)
        if requestID.isEmpty { requestID = Self.text(head.value(of: "x-oss-request-id") ?? []) }
        if ec.isEmpty { ec = Self.text(head.value(of: "x-oss-ec") ?? []) }
        serverTime = WallTime(iso8601: fields.serverTime) ?? head.value(of: "Date").flatMap(WallTime.init(httpDate:))
        appendPosition = ReplyHeaders.appendPosition(head)
        if head.value(of: "x-oss-delete-marker") == Array("true".utf8) { deleteMarker = ReplyHeaders.version(head) }
    }

    /// Whether the bucket is to be addressed elsewhere: a refusal that names another endpoint.
    var saysWrongEndpoint: Bool {
        !endpoint.isEmpty && (code == "AccessDenied" || (300...399).contains(status))
    }

    /// Version 4 has no code of its own for a date that is far off.
    var saysInvalidDate: Bool {
        status == 400 && code == "InvalidArgument" && message.lowercased().contains("signing date")
    }

    /// Nor has a signature for another region than the endpoint's.
    var saysWrongRegion: Bool {
        status == 400 && code == "InvalidArgument" && message.lowercased().contains("signing region")
    }

    /// EC 0002-00000003, 4, 6 and 8 are about the security token, whatever the code is.
    var namesBadToken: Bool {
        ["0002-00000003", "0002-00000004", "0002-00000006", "0002-00000008"].contains(ec)
    }

    /// What a person reads: code, message, and where to turn instead.
    var summary: String {
        let name = code.isEmpty ? "status \(status)" : code
        let told = message.isEmpty ? name : "\(name): \(message)"
        return endpoint.isEmpty ? told : "\(told) (endpoint \(endpoint))"
    }

    /// Text to print: cut between characters where it is long, and with `?` for what isn't ASCII where it isn't UTF-8.
    static func text(_ bytes: [UInt8]) -> String {
        var kept = bytes.prefix(maximumTextBytes)
        // 10xxxxxx goes on with a character, which then begins before the cut.
        if kept.count < bytes.count, bytes[kept.count] & 0xC0 == 0x80 {
            while let last = kept.popLast(), last & 0xC0 == 0x80 {}
        }
        if let text = kept.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) { return text }
        return String(kept.map { (0x20...0x7E).contains($0) ? Character(UnicodeScalar($0)) : "?" })
    }
}
