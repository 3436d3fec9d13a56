/// How the service encrypts an object at rest, in the service's own words.
package struct ObjectEncryption: Hashable, Sendable {
    /// `AES256`, `KMS`, `SM4`.
    package var algorithm: [UInt8]
    /// The key in the service's key store; nil for its default, and where the algorithm needs none.
    package var keyID: [UInt8]?
    /// What the bytes are encrypted with where `algorithm` is about their keys alone, `SM4`; nil for the default.
    package var dataAlgorithm: [UInt8]?

    package init(algorithm: [UInt8], keyID: [UInt8]? = nil, dataAlgorithm: [UInt8]? = nil) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.dataAlgorithm = dataAlgorithm
    }
}

/// One tag of an object.
package struct ObjectTag: Hashable, Sendable {
    package var key: [UInt8]
    package var value: [UInt8]

    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// What an object has besides bytes and metadata; each write says all of it, as the service keeps nothing of the object
/// that is replaced.
package struct ObjectProperties: Hashable, Sendable {
    /// `private`, `public-read`, …, as the service spells it; nil for the bucket's own.
    package var acl: [UInt8]?
    /// At most ten of OSS, in any order.
    package var tagging: [ObjectTag]
    /// `Standard`, `IA`, …, as the service spells it; nil for the bucket's own.
    package var storageClass: [UInt8]?
    /// Nil for the bucket's own.
    package var encryption: ObjectEncryption?

    package init(
        acl: [UInt8]? = nil, tagging: [ObjectTag] = [], storageClass: [UInt8]? = nil,
        encryption: ObjectEncryption? = nil
    ) {
        self.acl = acl
        self.tagging = tagging
        self.storageClass = storageClass
        self.encryption = encryption
    }
}
