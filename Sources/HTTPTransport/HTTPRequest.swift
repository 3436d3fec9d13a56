/// One request, complete as it goes out.
package struct HTTPRequest: Sendable {
    /// `GET`, `HEAD`, `PUT`, `POST`, `DELETE`.
    package var method: String
    /// The whole URL, percent-encoded already; path and query are sent byte by byte as they stand here.
    package var url: [UInt8]
    /// Sent in this order. Content-Length comes from `body`; Host from the URL unless one stands here.
    package var headers: [HTTPHeader]
    /// Nil sends none, and for PUT and POST `Content-Length: 0`, as an empty body does.
    package var body: (any HTTPBody)?
    /// How long nothing may move in either direction, instead of the transport's own time: for requests that a server
    /// works on in silence.
    package var stallTimeout: Duration?

    package init(
        method: String, url: [UInt8], headers: [HTTPHeader] = [], body: (any HTTPBody)? = nil,
        stallTimeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.stallTimeout = stallTimeout
    }
}

/// A header field: a name of token characters, compared without regard to case, and a value without CR, LF, NUL.
package struct HTTPHeader: Sendable, Hashable {
    package var name: String
    package var value: [UInt8]

    package init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }
}

/// The bytes of a request; must stay the same until the exchange has ended.
package protocol HTTPBody: Sendable {
    /// The length in bytes.
    var count: Int64 { get }

    /// Copies bytes from `offset` on into `buffer` and returns how many, at least one where any are left.
    ///
    /// Called from the transport's thread: must not block. Also called again from 0 where a connection is retried.
    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int
}

/// What arrives before a reply's body.
package struct HTTPResponseHead: Sendable {
    /// 100 to 999; interim 1xx answers are skipped.
    package var status: Int
    /// In the order of arrival, names as they came, values without surrounding blanks.
    package var headers: [HTTPHeader]
    /// Whether the request was sent more than once, as over a kept connection that turned out to be closed: an earlier
    /// sending may have had its effect, and this answer may be about that.
    package var wasSentAgain: Bool

    package init(status: Int, headers: [HTTPHeader], wasSentAgain: Bool = false) {
        self.status = status
        self.headers = headers
        self.wasSentAgain = wasSentAgain
    }

    /// The first value of the header `name`, compared without regard to ASCII case.
    package func value(of name: String) -> [UInt8]? {
        headers.first { header in
            header.name.utf8.elementsEqual(name.utf8) { left, right in
                left == right || (left ^ right == 0x20 && (left | 0x20) >= 0x61 && (left | 0x20) <= 0x7A)
            }
        }?.value
    }
}

/// Where a reply goes. Calls come from the transport's thread, in order, and must not block.
package protocol HTTPResponseReceiver: Sendable {
    /// The status and all headers; comes once, before the body.
    func begin(_ head: HTTPResponseHead)

    /// The next bytes of the body, which die with the call; false ends the exchange with `cancelled`.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}
