/// One object as the index knows it.
struct StoredObject: Sendable {
    var key: Bytes
    var size: UInt64
    var crc: UInt64
    /// Without its quotes.
    var etag: Bytes
    /// The MD5 of the bytes in base64, empty where it is not known.
    var md5: Bytes
    /// Seconds since 1970.
    var modified: Int64
    /// The value of x-oss-object-type.
    var type: Bytes
    var storageClass: Bytes
    /// The value of x-oss-object-acl; `default` takes the bucket's.
    var acl: Bytes
    /// As sent in x-oss-tagging, empty for none.
    var tagging: Bytes
    /// Content headers and x-oss-meta-*, as they go back.
    var fields: Fields
    /// Where the bytes are; their lengths make up `size`.
    var pieces: [Piece]
    /// For a symlink the key that it leads to; empty for all else.
    var link: Bytes = []
    /// For an archived object from when and until when it can be read, in seconds since 1970; 0 where it was not
    /// restored.
    var restoredFrom: Int64 = 0
    var restoredUntil: Int64 = 0
    /// Empty for the null version, which all objects of a bucket without versions are.
    var version: Bytes = []
}

/// What a bucket holds in all.
struct BucketStat: Sendable {
    struct Class: Sendable {
        let name: Bytes
        let objects: Int64
        let bytes: Int64
    }

    var classes: [Class] = []
    /// Seconds since 1970.
    var lastModified: Int64 = 0
    var uploads: Int64 = 0
    var parts: Int64 = 0
}

extension Fields {
    /// Names and values with a zero byte after each: neither can hold one.
    var packed: Bytes {
        var bytes: Bytes = []
        for field in all { bytes += field.name + [0] + field.value + [0] }
        return bytes
    }

    init(packed: Bytes) {
        let parts = packed.split(separator: 0, omittingEmptySubsequences: false)
        for index in stride(from: 0, to: parts.count - 1, by: 2) {
            append(Bytes(parts[index]), Bytes(parts[index + 1]))
        }
    }
}
