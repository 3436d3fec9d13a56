import Instrumentation

/// Buckets that keep what is replaced and deleted, where `StoreFeatures.versions` is among the store's; else
/// `unsupported`.
///
/// The plain calls work on the current version. Where it is a delete marker they are `notFound`, and
/// `ObjectStoreError.deleteMarker` names it. `GetRequest.version` gets an older one.
package protocol ObjectVersions: Sendable {
    /// One page of all versions and delete markers, by key in byte order, of each key the latest first.
    func listVersions(
        _ request: VersionListRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> VersionPage

    /// Size and metadata of one version; a delete marker is `notFound` with `ObjectStoreError.deleteMarker`.
    func head(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo

    /// Takes one version, or one delete marker, away for good; done as well where there was none. What was before the
    /// current version becomes current with it.
    func delete(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError)
}

/// The service's name of one version of one key.
package struct VersionID: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The version of a key that was made while the bucket kept none.
    package static let null = VersionID("null".utf8)
}

/// Which versions to list.
package struct VersionListRequest: Hashable, Sendable {
    /// Only keys that start with these bytes.
    package var prefix: [UInt8]
    /// Whether keys that have a `/` after the prefix are folded into common prefixes, one for each.
    package var foldsDirectories: Bool
    /// `VersionPage.next` of the page before; nil begins.
    package var after: VersionMarker?
    /// How many rows and common prefixes together at most, 1 to 1000.
    package var limit: Int

    package init(
        prefix: [UInt8], foldsDirectories: Bool = false, after: VersionMarker? = nil, limit: Int = 1000
    ) {
        self.prefix = prefix
        self.foldsDirectories = foldsDirectories
        self.after = after
        self.limit = limit
    }
}

/// Where a listing of versions goes on.
package struct VersionMarker: Hashable, Sendable {
    package var key: ObjectKey
    /// Nil goes on with the next key.
    package var version: VersionID?

    package init(key: ObjectKey, version: VersionID?) {
        self.key = key
        self.version = version
    }
}

/// One version or delete marker in a listing.
package struct VersionRow: Hashable, Sendable {
    /// What stands in a row of a version and not in one of a delete marker.
    package struct Content: Hashable, Sendable {
        package var size: Int64
        package var etag: ETag
        package var type: ObjectType
        package var storageClass: [UInt8]

        package init(size: Int64, etag: ETag, type: ObjectType = .normal, storageClass: [UInt8] = []) {
            self.size = size
            self.etag = etag
            self.type = type
            self.storageClass = storageClass
        }
    }

    package var key: ObjectKey
    package var version: VersionID
    package var isLatest: Bool
    package var lastModified: WallTime
    /// Nil for a delete marker.
    package var content: Content?

    package init(
        key: ObjectKey, version: VersionID, isLatest: Bool, lastModified: WallTime, content: Content?
    ) {
        self.key = key
        self.version = version
        self.isLatest = isLatest
        self.lastModified = lastModified
        self.content = content
    }
}

/// A page of a listing of versions; may be empty and still have a `next`.
package struct VersionPage: Hashable, Sendable {
    package var rows: [VersionRow]
    /// Prefixes that end in `/`, in byte order.
    package var commonPrefixes: [ObjectKey]
    /// Where the next page begins; nil on the last.
    package var next: VersionMarker?

    package init(rows: [VersionRow], commonPrefixes: [ObjectKey] = [], next: VersionMarker? = nil) {
        self.rows = rows
        self.commonPrefixes = commonPrefixes
        self.next = next
    }
}
