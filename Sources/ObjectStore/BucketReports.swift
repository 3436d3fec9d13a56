/// What a bucket tells of itself. Credentials that may use a bucket often may not ask: `accessDenied` then, so that
/// nothing that must work hangs on an answer. Where `StoreFeatures.reports` isn't among the store's, `unsupported`.
package protocol BucketReports: Sendable {
    /// What the bucket holds; the service counts now and then, so it may be an hour old.
    func usage(_ context: RequestContext) throws(ObjectStoreError) -> BucketUsage

    /// Where the bucket is and how it keeps objects.
    func description(_ context: RequestContext) throws(ObjectStoreError) -> BucketDescription
}

/// What a bucket holds.
package struct BucketUsage: Hashable, Sendable {
    /// Bytes of all objects.
    package var bytes: Int64
    package var objects: Int64
    /// Uploads that were begun and neither completed nor given up.
    package var uploads: Int64

    package init(bytes: Int64, objects: Int64, uploads: Int64) {
        self.bytes = bytes
        self.objects = objects
        self.uploads = uploads
    }
}

/// Whether a bucket keeps what is replaced and deleted.
package enum Versioning: Hashable, Sendable {
    /// It never did.
    case never
    case enabled
    /// It did: older versions are there, new ones take the place of the null version.
    case suspended
}

/// What a bucket is.
package struct BucketDescription: Hashable, Sendable {
    /// The region as the service spells it, `oss-cn-hangzhou`.
    package var location: [UInt8]
    /// Of objects that name none.
    package var storageClass: [UInt8]
    package var versioning: Versioning

    package init(location: [UInt8], storageClass: [UInt8], versioning: Versioning) {
        self.location = location
        self.storageClass = storageClass
        self.versioning = versioning
    }
}
