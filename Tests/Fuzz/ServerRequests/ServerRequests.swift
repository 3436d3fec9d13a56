import CObjectServer
import FuzzSupport
import Instrumentation

@testable import ObjectServer

/// Requests to the embedded server: an input is some of them, raw as they come over a connection, with lines of `%%`
/// between. Each is taken apart, then answered on a folder that is empty before the first, without a connection.
enum ServerRequests: FuzzTarget {
    static let name = "server-requests"

    /// More say nothing new, and take their time.
    private static let mostRequests = 12

    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        let bench = try ServerBench()
        for text in Pieces.sections(input, marker: "%%").prefix(mostRequests) {
            guard let raw = RawRequest(text) else { continue }
            let request = Request(method: raw.method, target: raw.target, headers: raw.headers)
            try RequestParts.examine(request, body: raw.body)
            try ClientRequests.examine(
                .init(
                    method: request.method, bucket: request.bucket, key: request.key,
                    query: request.query.all.map { ($0.name, $0.value) },
                    headers: request.headers.all.map { ($0.name, $0.value) })
            ) { (method, target, headers) throws(Finding) in
                try RequestParts.examineSigned(request, method, target, headers)
            }
            if let reply = try bench.answer(raw) { try ReplyParts.examine(reply, hasFaults: bench.hasFaults) }
            guard isPlanted, request.bucket == Bytes("photos") else { continue }
            // 5 bytes: the longest key in the corpus.
            try throwPlanted(ifAll: (5...8).map { request.key.count > $0 })
        }
        try bench.finish()
    }
}

/// A request as it comes, taken apart as the HTTP library does it.
struct RawRequest {
    var method: Bytes
    var target: Bytes
    var headers = Fields()
    var body: Bytes = []

    /// Nil for what the library refuses.
    init?(_ text: Bytes) {
        var rest = text[...]
        func line() -> Bytes? {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            let line = Bytes(rest[..<end])
            rest = rest[(end + 1)...]
            return line.last == 0x0D ? Bytes(line.dropLast()) : line
        }
        let words = (line() ?? []).split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].elementsEqual("HTTP/1.1".utf8), !words[0].isEmpty, !words[1].isEmpty,
            !text.prefix(while: { $0 != 0x0A }).contains(0)
        else { return nil }
        (method, target) = (Bytes(words[0]), Bytes(words[1]))
        while let line = line(), !line.isEmpty {
            guard let colon = line.firstIndex(of: 0x3A), colon > 0, !line.contains(0), !line.contains(0x0D) else {
                return nil
            }
            let name = Bytes(line[..<colon])
            guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            headers.append(name.lowercasedASCII, Bytes(line[(colon + 1)...]).trimmed)
        }
        body = Bytes(rest)
        headers.all.removeAll { $0.name.isEqual(to: "content-length") || $0.name.isEqual(to: "transfer-encoding") }
        if !body.isEmpty || method.isEqual(to: "PUT") || method.isEqual(to: "POST") {
            headers.append("content-length", Bytes(String(body.count).utf8))
        }
    }
}
