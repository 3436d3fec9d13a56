import Instrumentation

/// What kind of object the service says that it is.
package enum ObjectType: Sendable, Hashable {
    case normal, multipart, appendable, symlink
    /// A kind that this program doesn't know, or none said.
    case other
}

/// Metadata that travels with an object and can be set by whoever writes it.
package struct ObjectMetadata: Hashable, Sendable {
    /// `Content-Type`; nil leaves it to the service.
    package var contentType: [UInt8]?
    /// The other content headers that were set, by lower-case name: cache-control, content-disposition,
    /// content-encoding, content-language, expires.
    package var contentHeaders: [String: [UInt8]]
    /// User metadata by lower-case name without the service's prefix; names are letters, digits and hyphens.
    package var user: [String: [UInt8]]

    package init(
        contentType: [UInt8]? = nil, contentHeaders: [String: [UInt8]] = [:], user: [String: [UInt8]] = [:]
    ) {
        self.contentType = contentType
        self.contentHeaders = contentHeaders
        self.user = user
    }
}

/// What a HEAD or GET tells of an object.
package struct ObjectInfo: Hashable, Sendable {
    /// Bytes of the whole object, also where only a range was asked for.
    package var size: Int64
    package var etag: ETag
    /// Whole seconds, by the server's clock.
    package var lastModified: WallTime
    /// CRC-64/XZ of the whole object where the service tells it.
    package var crc64: UInt64?
    package var type: ObjectType
    /// As the service spells it: `Standard`, `IA`, `Archive`, …; empty where it told none.
    package var storageClass: [UInt8]
    package var metadata: ObjectMetadata
    /// How it is encrypted at rest; nil where the service told nothing.
    package var encryption: ObjectEncryption?
    /// How many tags it has.
    package var taggingCount: Int
    /// Which version this is; nil where the bucket never kept any.
    package var version: VersionID?
    /// How far the restoring of an archived object is; nil where it isn't restored.
    package var restoration: Restoration?
    /// Where the next append begins; nil where the object isn't appendable.
    package var appendPosition: Int64?
    /// The server's Date of this answer; nil where it sent none.
    package var serverDate: WallTime?

    package init(
        size: Int64, etag: ETag, lastModified: WallTime, crc64: UInt64? = nil, type: ObjectType = .normal,
        storageClass: [UInt8] = [], metadata: ObjectMetadata = ObjectMetadata(), encryption: ObjectEncryption? = nil,
        taggingCount: Int = 0, version: VersionID? = nil, restoration: Restoration? = nil, appendPosition: Int64? = nil,
        serverDate: WallTime? = nil
    ) {
        self.size = size
        self.etag = etag
        self.lastModified = lastModified
        self.crc64 = crc64
        self.type = type
        self.storageClass = storageClass
        self.metadata = metadata
        self.encryption = encryption
        self.taggingCount = taggingCount
        self.version = version
        self.restoration = restoration
        self.appendPosition = appendPosition
        self.serverDate = serverDate
    }
}
