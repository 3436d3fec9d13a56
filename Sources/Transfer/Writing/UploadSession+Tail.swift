import Checksums
import ObjectStore
import Runtime

// Appends that go on after what somebody else has appended meanwhile.

extension UploadSession {
    /// The first byte that was written or cut; nil where nothing was.
    package var changedFrom: Int64? { state.withLock { $0.map.changedFrom } }

    /// Writes the file's bytes from `start` on into `other`, from its `position` on, and ends this session.
    ///
    /// - Parameter settle: called before anybody may write again: the file has the other session then.
    /// - Throws: what kept bytes from being read or taken; this session goes on then.
    package func moveTail(
        from start: Int64, to other: UploadSession, at position: Int64, _ context: RequestContext,
        settle: () -> Void
    ) throws(ObjectStoreError) {
        try exclusively(context) { () throws(ObjectStoreError) in
            let (stream, end) = state.withLock { state in
                state.isFrozen = true
                return (state.stream?.number, state.map.size)
            }
            if let stream { try makeReadable(stream, context) }
            var offset = start
            while offset < end {
                let bytes = try read(offset..<min(offset + Self.tailPiece, end), context)
                let copy = withExtendedLifetime(bytes) { bytes.segments.flatMap { Array($0) } }
                guard try other.writeWaiting(copy, at: position + offset - start, context) else { return }
                offset += Int64(copy.count)
            }
            settle()
            close()
        }
    }

    /// 1 MiB: what a write of the kernel's has at most, too.
    private static let tailPiece: Int64 = 1 << 20
}

extension UploadEngine {
    /// CRC-64 of the first `count` bytes of an object's version; reads them all.
    package func checksum(
        ofFirst count: Int64, of key: ObjectKey, _ etag: ETag, _ cancellation: Cancellation?
    ) throws(ObjectStoreError) -> UInt64 {
        let receiver = ChecksumReceiver()
        guard count > 0 else { return 0 }
        try store.get(
            GetRequest(key: key, range: 0..<count, ifMatch: etag), into: receiver, context(cancellation, bytes: count))
        return receiver.value
    }
}

private final class ChecksumReceiver: ObjectReceiver {
    // Guards the sum; a leaf.
    private let sum = Locked(CRC64())

    var value: UInt64 { sum.withLock { $0.value } }

    func begin(_ info: ObjectInfo) {}

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        sum.withLock { $0.update(bytes) }
        return true
    }
}
