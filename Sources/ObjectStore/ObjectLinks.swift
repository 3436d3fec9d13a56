import Instrumentation

/// The service's own symbolic links, where `StoreFeatures.links` is among the store's; else `unsupported`.
///
/// A link holds the key of another object of its bucket, whole and from the bucket's top. `head` and `get` of a link
/// tell and give what it leads to, with the link's own user metadata and the type `symlink`; where that isn't there they
/// are `notFound`, and where it is a link again `invalidRequest`.
package protocol ObjectLinks: Sendable {
    /// Creates or replaces a link; what it leads to need not be there. With `LinkRequest.forbidOverwrite`, an existing
    /// object is `alreadyExists`.
    func putLink(_ request: LinkRequest, _ context: RequestContext) throws(ObjectStoreError)

    /// Where a link leads; an object that is none is `invalidRequest`.
    func link(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> LinkInfo

    /// Size, version and time of what stands under the key itself, link or not, without its metadata and class.
    ///
    /// The type is `symlink` or `other`; a link is as long as the key that it leads to.
    func meta(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo
}

/// What link to put.
package struct LinkRequest: Hashable, Sendable {
    package var key: ObjectKey
    /// Where it leads; by the rules of keys.
    package var target: ObjectKey
    package var metadata: ObjectMetadata
    package var forbidOverwrite: Bool

    package init(
        key: ObjectKey, target: ObjectKey, metadata: ObjectMetadata = ObjectMetadata(), forbidOverwrite: Bool = false
    ) {
        self.key = key
        self.target = target
        self.metadata = metadata
        self.forbidOverwrite = forbidOverwrite
    }
}

/// What a link tells of itself.
package struct LinkInfo: Hashable, Sendable {
    package var target: ObjectKey
    /// The link's own; nil where the service tells none.
    package var etag: ETag?
    /// Whole seconds, by the server's clock; nil where it tells none.
    package var lastModified: WallTime?
    /// User metadata of the link by lower-case name, without the service's prefix.
    package var user: [String: [UInt8]]

    package init(
        target: ObjectKey, etag: ETag? = nil, lastModified: WallTime? = nil, user: [String: [UInt8]] = [:]
    ) {
        self.target = target
        self.etag = etag
        self.lastModified = lastModified
        self.user = user
    }
}
