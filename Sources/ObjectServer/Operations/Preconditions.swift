/// The four conditions on a request, by the names that they have in its headers: `if-…` for the object itself,
/// `x-oss-copy-source-if-…` for the source of a copy.
struct Preconditions {
    var ifMatch: Bytes?
    var ifNoneMatch: Bytes?
    var ifModifiedSince: Bytes?
    var ifUnmodifiedSince: Bytes?

    init(reading headers: Fields) {
        ifMatch = headers["if-match"]
        ifNoneMatch = headers["if-none-match"]
        ifModifiedSince = headers["if-modified-since"]
        ifUnmodifiedSince = headers["if-unmodified-since"]
    }

    init(copying headers: Fields) {
        ifMatch = headers["x-oss-copy-source-if-match"]
        ifNoneMatch = headers["x-oss-copy-source-if-none-match"]
        ifModifiedSince = headers["x-oss-copy-source-if-modified-since"]
        ifUnmodifiedSince = headers["x-oss-copy-source-if-unmodified-since"]
    }

    /// Throws PreconditionFailed (412) or NotModified (304). A date that can't be read is no condition; an ETag
    /// condition outranks the date condition of its kind, as in RFC 9110.
    func check(_ object: StoredObject) throws(ServiceError) {
        if let ifMatch {
            guard Self.matches(ifMatch, object.etag) else { throw .preconditionFailed("If-Match") }
        } else if let limit = ifUnmodifiedSince.flatMap(Dates.fromHeader), object.modified > limit {
            throw .preconditionFailed("If-Unmodified-Since")
        }
        if let ifNoneMatch {
            if Self.matches(ifNoneMatch, object.etag) { throw .notModified }
        } else if let limit = ifModifiedSince.flatMap(Dates.fromHeader), object.modified <= limit {
            throw .notModified
        }
    }

    /// `wanted` is one ETag or several with commas between, each with or without quotes, or `*`.
    static func matches(_ wanted: Bytes, _ etag: Bytes) -> Bool {
        wanted.split(separator: 0x2C).contains { item in
            var item = Bytes(item).trimmed
            if item.isEqual(to: "*") { return true }
            if item.count >= 2, item.first == 0x22, item.last == 0x22 { item = Bytes(item.dropFirst().dropLast()) }
            return item == etag
        }
    }
}
