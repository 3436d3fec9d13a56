import FuzzSupport
import Instrumentation

@testable import HTTPTransport
@testable import OSSClient

/// A reply's head as the client reads it: an input is its lines.
enum Headers: FuzzTarget {
    static let name = "headers"

    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        guard let head = read(input) else { return }
        try require((200...999).contains(head.status), "a final answer with status \(head.status)")
        for header in head.headers {
            try require(HTTPSyntax.isToken(header.name.utf8), "a name that is no token: \(header.name)")
            let value = header.value
            try require(!value.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }, "a value with CR, LF or NUL: \(value)")
            for end in [value.first, value.last] {
                try require(!(end.map(HTTPSyntax.isBlank) ?? false), "a value with blanks around it: \(value)")
            }
            try HeaderValues.examine(value)
        }
        try examineAgain(head)
        try examineInfo(head, isPlanted: isPlanted)
    }

    private static func read(_ input: [UInt8]) -> HTTPResponseHead? {
        var reader = HeadReader()
        for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let event = (Array(line) + [0x0A]).withUnsafeBytes { reader.take($0) }
            switch event {
            case .more: continue
            case .head(let head): return head
            case .malformed: return nil
            }
        }
        return nil
    }

    private static func examineAgain(_ head: HTTPResponseHead) throws(Finding) {
        var text = Array("HTTP/1.1 \(head.status) Words\r\n".utf8)
        for header in head.headers { text += Array(header.name.utf8) + Array(": ".utf8) + header.value + [0x0D, 0x0A] }
        text += [0x0D, 0x0A]
        // Without the blanks that lines may have had, it never is longer than the bound for all lines together.
        guard text.count <= HeadReader.limitBytes else { return }
        guard let again = read(text) else { throw Finding("a head can't be read again") }
        try requireEqual(again.headers, head.headers, "a head is another one when it is read again")
    }

    private static func examineInfo(_ head: HTTPResponseHead, isPlanted: Bool) throws(Finding) {
        if let length = ReplyHeaders.contentLength(head) { try require(length >= 0, "a length of \(length)") }
        let metadata = ReplyHeaders.metadata(head)
        for (name, value) in metadata.user {
            try require(name == name.lowercased(), "a name of metadata in upper case: \(name)")
            let sent = head.headers.filter { $0.name.lowercased() == "x-oss-meta-" + name }.map(\.value)
            try require(sent.contains(value), "metadata \(name) has a value that wasn't sent")
        }
        for (name, value) in metadata.contentHeaders {
            try require(ReplyHeaders.contentHeaders.contains(name), "\(name) is no header of the content")
            try require(head.headers.contains { $0.value == value }, "\(name) has a value that wasn't sent")
        }
        guard let info = ReplyHeaders.info(head, size: 7) else { return }
        try require(!info.etag.bytes.isEmpty && info.size == 7, "an object without version or size")
        guard isPlanted else { return }
        // 34 bytes: the longest in the corpus.
        try throwPlanted(ifAll: (34...38).map { info.etag.bytes.count > $0 })
    }
}
