import Instrumentation

/// What to list.
package struct ListRequest: Hashable, Sendable {
    /// Only keys that start with these bytes.
    package var prefix: [UInt8]
    /// Whether keys that have a `/` after the prefix are folded into common prefixes, one for each.
    package var foldsDirectories: Bool
    /// Only keys after this one, in byte order; for a first page.
    package var startAfter: ObjectKey?
    /// `ListPage.next` of the page before; then `startAfter` has no meaning.
    package var continuation: ContinuationToken?
    /// How many keys and common prefixes together at most, 1 to 1000.
    package var limit: Int

    package init(
        prefix: [UInt8], foldsDirectories: Bool, startAfter: ObjectKey? = nil, continuation: ContinuationToken? = nil,
        limit: Int = 1000
    ) {
        self.prefix = prefix
        self.foldsDirectories = foldsDirectories
        self.startAfter = startAfter
        self.continuation = continuation
        self.limit = limit
    }
}

/// Where a listing goes on; opaque bytes of the store.
package struct ContinuationToken: Hashable, Sendable {
    package let bytes: [UInt8]
    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}

/// One object in a listing.
package struct ListRow: Hashable, Sendable {
    package var key: ObjectKey
    package var size: Int64
    package var etag: ETag
    package var lastModified: WallTime
    package var type: ObjectType
    package var storageClass: [UInt8]

    package init(
        key: ObjectKey, size: Int64, etag: ETag, lastModified: WallTime, type: ObjectType = .normal,
        storageClass: [UInt8] = []
    ) {
        self.key = key
        self.size = size
        self.etag = etag
        self.lastModified = lastModified
        self.type = type
        self.storageClass = storageClass
    }
}

/// A page of a listing; may be empty and still have a `next`.
package struct ListPage: Hashable, Sendable {
    /// Objects in byte order of their keys.
    package var rows: [ListRow]
    /// Prefixes that end in `/`, in byte order.
    package var commonPrefixes: [ObjectKey]
    /// Where the next page begins; nil on the last.
    package var next: ContinuationToken?
    /// The server's Date of this answer; nil where it sent none.
    package var serverDate: WallTime?

    package init(
        rows: [ListRow], commonPrefixes: [ObjectKey] = [], next: ContinuationToken? = nil, serverDate: WallTime? = nil
    ) {
        self.rows = rows
        self.commonPrefixes = commonPrefixes
        self.next = next
        self.serverDate = serverDate
    }
}

/// What to get.
package struct GetRequest: Hashable, Sendable {
    package var key: ObjectKey
    /// Nil gets the whole; a range is never empty, and one that passes the end is cut there.
    package var range: ByteRange?
    /// Only this version; another is `preconditionFailed`.
    package var ifMatch: ETag?
    /// Nil gets the current one.
    package var version: VersionID?

    package init(key: ObjectKey, range: ByteRange? = nil, ifMatch: ETag? = nil, version: VersionID? = nil) {
        self.key = key
        self.range = range
        self.ifMatch = ifMatch
        self.version = version
    }
}

/// What to put, but for the bytes.
package struct PutRequest: Hashable, Sendable {
    package var key: ObjectKey
    package var metadata: ObjectMetadata
    package var properties: ObjectProperties
    /// Whether an existing object is left alone (`alreadyExists`); only with `hasExclusiveCreate`.
    package var forbidOverwrite: Bool

    package init(
        key: ObjectKey, metadata: ObjectMetadata = ObjectMetadata(), properties: ObjectProperties = ObjectProperties(),
        forbidOverwrite: Bool = false
    ) {
        self.key = key
        self.metadata = metadata
        self.properties = properties
        self.forbidOverwrite = forbidOverwrite
    }
}

/// What to copy.
package struct CopyRequest: Hashable, Sendable {
    package var source: ObjectKey
    package var destination: ObjectKey
    /// Only this version of the source; another is `preconditionFailed`.
    package var sourceIfMatch: ETag?
    /// Metadata for the copy, whole; nil keeps the source's.
    package var replacing: ObjectMetadata?
    /// The copy's own: the source's ACL and storage class are not taken over. Of encryption the service decides.
    package var properties: ObjectProperties
    /// Whether the copy has the tags of `properties`, none if there are none; else it keeps the source's.
    package var taggingReplaces: Bool
    package var forbidOverwrite: Bool

    package init(
        source: ObjectKey, destination: ObjectKey, sourceIfMatch: ETag? = nil, replacing: ObjectMetadata? = nil,
        properties: ObjectProperties = ObjectProperties(), taggingReplaces: Bool = false, forbidOverwrite: Bool = false
    ) {
        self.source = source
        self.destination = destination
        self.sourceIfMatch = sourceIfMatch
        self.replacing = replacing
        self.properties = properties
        self.taggingReplaces = taggingReplaces
        self.forbidOverwrite = forbidOverwrite
    }
}

/// What a put, copy or completed upload made.
package struct WriteResult: Hashable, Sendable {
    package var etag: ETag
    package var crc64: UInt64?
    /// Of the new object, where the service tells it (a copy does, a put does not).
    package var lastModified: WallTime?
    /// The server's Date of this answer; nil where it sent none.
    package var serverDate: WallTime?

    package init(etag: ETag, crc64: UInt64? = nil, lastModified: WallTime? = nil, serverDate: WallTime? = nil) {
        self.etag = etag
        self.crc64 = crc64
        self.lastModified = lastModified
        self.serverDate = serverDate
    }
}
