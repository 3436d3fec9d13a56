/// A multipart upload under way.
struct StoredUpload: Sendable {
    var id: Bytes
    var key: Bytes
    /// Seconds since 1970.
    var initiated: Int64
    /// What the object will have, but for its bytes.
    var storageClass: Bytes
    var acl: Bytes
    var tagging: Bytes
    var fields: Fields
    var forbidsOverwrite: Bool
    /// True where parts must come in the order of their numbers.
    var isSequential = false
}

/// One part of an upload.
struct StoredPart: Sendable {
    var number: Int64
    var size: UInt64
    var crc: UInt64
    /// Without its quotes.
    var etag: Bytes
    /// Seconds since 1970.
    var modified: Int64
    var pieces: [Piece]
}

/// One request for a page of the uploads of a bucket.
struct UploadQuery: Sendable {
    var prefix: Bytes = []
    /// Empty for none.
    var delimiter: Bytes = []
    /// Only uploads of keys after this one, and of this key those after the upload; empty from the start.
    var keyMarker: Bytes = []
    var idMarker: Bytes = []
    var maximum = 1000
    /// False where a reply can't carry keys outside XML's set: they are left out.
    var carriesAnyKey = true
}

/// A page of uploads in the order of keys, then of ids.
struct UploadPage: Sendable {
    var uploads: [StoredUpload] = []
    var commonPrefixes: [Bytes] = []
    /// What the next page begins after; nil at the end.
    var next: (key: Bytes, id: Bytes)?
}
