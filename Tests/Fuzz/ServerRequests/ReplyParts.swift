import CObjectServer
import FuzzSupport
import Glibc

@testable import ObjectServer

/// What must hold of every reply: a client can read it, and it says of the bytes what they are.
enum ReplyParts {
    static func examine(_ reply: Reply, hasFaults: Bool) throws(Finding) {
        defer { reply.discard() }
        try require((200...999).contains(reply.status), "status \(reply.status)")
        for header in reply.headers.all {
            try require(header.name.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }, "a name: \(header.name)")
            // The HTTP library drops such a header without a word.
            let isSayable = header.value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            try require(isSayable, "header \(header.name.text ?? "") has control characters")
        }
        if let text = reply.headers["x-oss-err"] {
            guard let document = Digests.fromBase64(text) else { throw Finding("x-oss-err is no base64") }
            try ClientRequests.examineDocument(document)
        }
        let isXML = reply.headers["Content-Type"]?.isEqual(to: "application/xml") ?? false
        switch reply.body {
        case .bytes(let document) where isXML:
            try ClientRequests.examineDocument(document)
            var reader = XMLReader(document)
            do throws(MalformedXML) { while try reader.next() != nil {} } catch {
                throw Finding("the server can't read its own document: \(document.text ?? "")")
            }
        case .file(let descriptor, let offset, let length):
            let bytes = try bytes(descriptor, offset, length)
            // A wrong checksum is one of the faults.
            if !hasFaults { try examineBytes(reply, bytes) }
        case .none, .bytes, .pieces, .lengthOnly: break
        }
        if let range = reply.headers["Content-Range"] {
            try require(reply.status == 206, "a range with status \(reply.status)")
            try require(
                ClientRequests.rangeLength(range) == Int64(reply.body.length), "a range of another length: \(range)")
        }
    }

    private static func bytes(_ descriptor: Int32, _ offset: UInt64, _ length: UInt64) throws(Finding) -> Bytes {
        var bytes = Bytes(repeating: 0, count: Int(length))
        let count = pread(descriptor, &bytes, bytes.count, off_t(offset))
        try require(count == bytes.count, "a body of \(count) bytes is announced with \(length)")
        return bytes
    }

    private static func examineBytes(_ reply: Reply, _ bytes: Bytes) throws(Finding) {
        guard reply.status == 200, let crc = reply.headers["x-oss-hash-crc64ecma"]?.decimal else { return }
        try requireEqual(cobjectserver_crc64(0, bytes, bytes.count), crc, "a body has another checksum")
    }
}
