import CCurl

/// A request, checked and in the form that libcurl takes; made on the caller's thread.
struct OutgoingRequest {
    /// The URL with its closing NUL.
    let url: [CChar]
    let method: String
    let headers: HeaderList
    /// The body to send, an empty one for a PUT or POST without; nil where the request has no Content-Length.
    let body: (any HTTPBody)?
    /// `host:port`, for messages.
    let origin: String
    let isTLS: Bool

    /// Throws `invalidRequest` where the URL, the method or a header can't be sent as it stands.
    init(_ request: HTTPRequest) throws(TransportError) {
        guard let parts = Self.parts(of: request.url) else {
            throw Self.refusal("The request's URL is not a percent-encoded http or https URL without a fragment.")
        }
        guard HTTPSyntax.isToken(request.method.utf8) else {
            throw Self.refusal("The request's method is not a word.")
        }
        if request.method == "HEAD", request.body != nil { throw Self.refusal("A HEAD request can't have a body.") }
        url = request.url.map { CChar(bitPattern: $0) } + [0]
        method = request.method
        origin = parts.origin
        isTLS = parts.isTLS
        // RFC 9110 8.6: methods that mean something by their content announce its absence.
        let isContentMethod = request.method == "PUT" || request.method == "POST"
        body = request.body ?? (isContentMethod ? EmptyBody() : nil)
        headers = try HeaderList(request.headers)
    }

    private struct EmptyBody: HTTPBody {
        var count: Int64 { 0 }
        func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    }

    static func refusal(_ message: String) -> TransportError {
        TransportError(kind: .invalidRequest, message: message, mayHaveReachedServer: false)
    }

    private static func parts(of url: [UInt8]) -> (origin: String, isTLS: Bool)? {
        guard url.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        let isTLS: Bool
        let authority: ArraySlice<UInt8>
        if url.starts(with: "http://".utf8) {
            (isTLS, authority) = (false, url.dropFirst(7))
        } else if url.starts(with: "https://".utf8) {
            (isTLS, authority) = (true, url.dropFirst(8))
        } else {
            return nil
        }
        let host = authority.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        // A name and password in a URL would become an Authorization header.
        guard !host.isEmpty, !host.contains(UInt8(ascii: "@")), !host.contains(UInt8(ascii: "\\")) else { return nil }
        let text = host.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
        let afterBrackets = host.lastIndex(of: UInt8(ascii: "]")).map { host[$0...] } ?? host
        if let colon = afterBrackets.lastIndex(of: UInt8(ascii: ":")) {
            let digits = host[(colon + 1)...]
            guard colon != host.startIndex, (1...5).contains(digits.count),
                digits.allSatisfy({ (0x30...0x39).contains($0) }),
                (1...65535).contains(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
            else { return nil }
            return (text, isTLS)
        }
        return (text + (isTLS ? ":443" : ":80"), isTLS)
    }
}

/// The request's header fields as libcurl's list, freed with the last reference.
final class HeaderList: @unchecked Sendable {
    // Unchecked: the list is built in `init` and only read after.
    let first: UnsafeMutablePointer<curl_slist>?

    /// Copies `headers` in order; what libcurl would add by itself is switched off unless it stands there.
    init(_ headers: [HTTPHeader]) throws(TransportError) {
        var list: UnsafeMutablePointer<curl_slist>?
        var problem: String?
        for header in headers where problem == nil {
            problem = Self.problem(of: header)
            if problem == nil, !Self.append(Self.line(of: header), to: &list) { problem = "Out of memory." }
        }
        // A name with nothing after the colon keeps libcurl from sending its own field.
        for name in ["Accept", "Expect"] where !headers.contains(where: { HTTPSyntax.isEqual($0.name, name) }) {
            if !Self.append(Array(name.utf8) + [0x3A], to: &list) { problem = "Out of memory." }
        }
        if let problem {
            curl_slist_free_all(list)
            throw OutgoingRequest.refusal(problem)
        }
        first = list
    }

    deinit { curl_slist_free_all(first) }

    private static func problem(of header: HTTPHeader) -> String? {
        guard HTTPSyntax.isToken(header.name.utf8) else { return "The name of a request header is not a word." }
        if header.value.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) {
            return "The request header \(header.name) has a line feed, carriage return or NUL in its value."
        }
        for name in ["Content-Length", "Transfer-Encoding"] where HTTPSyntax.isEqual(header.name, name) {
            return "The request header \(name) is the transport's to set."
        }
        return nil
    }

    private static func line(of header: HTTPHeader) -> [UInt8] {
        let isBlank = header.value.allSatisfy(HTTPSyntax.isBlank)
        // libcurl's form of a field that is sent with an empty value is its name and a semicolon.
        if isBlank { return Array(header.name.utf8) + [0x3B] }
        return Array(header.name.utf8) + [0x3A, 0x20] + header.value
    }

    private static func append(_ line: [UInt8], to list: inout UnsafeMutablePointer<curl_slist>?) -> Bool {
        let longer = (line + [0]).withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { curl_slist_append(list, $0.baseAddress) }
        }
        guard let longer else { return false }
        list = longer
        return true
    }
}
