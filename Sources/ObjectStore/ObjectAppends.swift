import Instrumentation

/// Objects that grow at their end, where `StoreFeatures.append` is among the store's; else `unsupported`.
package protocol ObjectAppends: Sendable {
    /// Adds bytes at the end of an object that was made by appending; at position 0 it makes one.
    ///
    /// Only where the object has exactly `position` bytes: else `preconditionFailed`, whose
    /// `ObjectStoreError.appendPosition` is the length that it has. An object that was put is `unsupported`, one that
    /// would grow past `StoreCapabilities.maximumAppendedBytes` is `tooLarge`. An append is never repeated blindly: a
    /// lost answer is settled by the object's length, and by its CRC-64 where that of the bytes before is known. After
    /// `unavailable` or `throttled` the bytes may have been added or not, but never twice.
    ///
    /// A checksum of the grown object other than expected is `corrupted`; the object then holds what the server has.
    func append(
        _ request: AppendRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> AppendResult
}

/// What to append to, but for the bytes.
package struct AppendRequest: Hashable, Sendable {
    package var key: ObjectKey
    /// The object's length in bytes, as far as the caller knows.
    package var position: Int64
    /// CRC-64 of the bytes before `position`; nil where unknown, then checksums aren't compared. Of none it is 0.
    package var crc64: UInt64?
    /// What the first append says holds; later ones only bring bytes.
    package var metadata: ObjectMetadata

    package init(
        key: ObjectKey, position: Int64, crc64: UInt64? = nil, metadata: ObjectMetadata = ObjectMetadata()
    ) {
        self.key = key
        self.position = position
        self.crc64 = position == 0 ? 0 : crc64
        self.metadata = metadata
    }
}

/// What an append has left.
package struct AppendResult: Hashable, Sendable {
    /// The object's length in bytes now.
    package var position: Int64
    /// Of the whole object, where the service tells it.
    package var crc64: UInt64?
    /// The server's Date of this answer; nil where it sent none.
    package var serverDate: WallTime?

    package init(position: Int64, crc64: UInt64? = nil, serverDate: WallTime? = nil) {
        self.position = position
        self.crc64 = crc64
        self.serverDate = serverDate
    }
}
