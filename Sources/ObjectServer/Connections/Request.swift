/// Named values in the order in which they came: headers (names in lower case) or query parameters (decoded).
struct Fields: Sendable {
    struct Field: Hashable, Sendable {
        var name: Bytes
        var value: Bytes
    }

    var all: [Field] = []

    subscript(_ name: StaticString) -> Bytes? { all.first { $0.name.isEqual(to: name) }?.value }

    subscript(_ name: Bytes) -> Bytes? { all.first { $0.name == name }?.value }

    func contains(_ name: StaticString) -> Bool { self[name] != nil }

    mutating func append(_ name: StaticString, _ value: Bytes) { all.append(Field(name: Bytes(name), value: value)) }

    mutating func append(_ name: Bytes, _ value: Bytes) { all.append(Field(name: name, value: value)) }
}

/// The head of one request, taken apart: what routing, signing and the operations look at.
struct Request: Sendable {
    /// The method as sent, in upper case by HTTP's rule.
    var method: Bytes
    /// Names in lower case, values trimmed.
    var headers: Fields
    var query: Fields
    /// Empty for a request to the service as a whole.
    var bucket: Bytes
    /// Empty for a request to a bucket or the service; else the decoded key, not yet checked.
    var key: Bytes
    /// The decoded path before the bucket was taken off it.
    var path: Bytes
    /// True where the bucket came from the Host header.
    var isVirtualHosted: Bool
    /// 24 hexadecimal digits that name this request to the user.
    let requestID: Bytes

    var isHead: Bool { method.isEqual(to: "HEAD") }

    /// From the raw request target and the headers, in which nothing is unescaped yet.
    init(method: Bytes, target: Bytes, headers: Fields) {
        self.method = method
        self.headers = headers
        requestID = hexadecimal(Digests.random(12), upperCase: true)
        let parts = target.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
        path = PercentCoding.decode(parts[0])
        query = parts.count > 1 ? Self.parameters(parts[1]) : Fields()
        let host = headers["host"] ?? []
        if let hosted = Self.bucket(ofHost: host) {
            bucket = hosted
            key = Bytes(path.dropFirst())
            isVirtualHosted = true
        } else {
            let segments = path.dropFirst().split(separator: 0x2F, maxSplits: 1, omittingEmptySubsequences: false)
            bucket = Bytes(segments.first ?? [])
            key = segments.count > 1 ? Bytes(segments[1]) : []
            isVirtualHosted = false
        }
    }

    /// From a query, or a form of the same writing.
    static func parameters(_ text: ArraySlice<UInt8>) -> Fields {
        var fields = Fields()
        for item in text.split(separator: 0x26) {
            let pair = item.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? PercentCoding.decode(pair[1], plusIsSpace: true) : []
            fields.append(PercentCoding.decode(pair[0], plusIsSpace: true), value)
        }
        return fields
    }

    /// The first label of a host name with dots in it; nil for an address and for a bare name such as localhost.
    static func bucket(ofHost host: Bytes) -> Bytes? {
        guard host.first != 0x5B else { return nil }
        let name = host.prefix { $0 != 0x3A }
        let labels = name.split(separator: 0x2E)
        guard labels.count > 1, let last = labels.last else { return nil }
        let isAddress = last.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        return isAddress ? nil : labels.first.map { Bytes($0) }
    }
}
