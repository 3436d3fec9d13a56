import Checksums
import Credentials
import HTTPTransport
import Instrumentation

/// A query parameter before encoding; an empty value is written as the bare name.
struct QueryItem: Hashable, Sendable {
    var name: [UInt8]
    var value: [UInt8]

    init(_ name: StaticString, _ value: [UInt8] = []) {
        self.name = name.withUTF8Buffer { Array($0) }
        self.value = value
    }

    init(_ name: StaticString, _ value: String) { self.init(name, Array(value.utf8)) }

    init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// What a signature covers of a request, the same for all addressing styles.
struct SignableRequest: Sendable {
    var method: String
    /// Nil for calls on the service itself.
    var bucket: [UInt8]?
    /// Nil for calls on the bucket.
    var key: [UInt8]?
    var query: [QueryItem]
    var headers: [HTTPHeader]
    /// Lower-case names of headers to be signed although the version would not.
    var additionalHeaders: [String] = []
}

/// Turns a request and credentials into the headers that authorise it: a pure function but for caches.
protocol RequestSigner: Sendable {
    /// The headers to send besides the request's own, with `Authorization` among them, for the moment `time`.
    func headers(
        for request: SignableRequest, credentials: Credentials, at time: WallTime
    ) throws(DigestError) -> [HTTPHeader]

    /// The whole query of a URL that authorises itself from `time` on for `lifetime` seconds: the request's own items,
    /// then the signature's, in the order that the official SDKs write them.
    func signedQuery(
        for request: SignableRequest, credentials: Credentials, at time: WallTime, lifetime: Int64
    ) throws(DigestError) -> [QueryItem]
}
