import Runtime

/// Counts the bytes of writes that wait for memory, and refuses more than fit.
final class WriteOverflow: Sendable {
    private let limitBytes: Int
    // Guarded: bytes taken. A leaf lock.
    private let taken = Locked(0)

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// A copy of `bytes` that counts until it is let go of; nil where too many writes wait already.
    func hold(_ bytes: UnsafeRawBufferPointer) -> HeldBytes? {
        let hasRoom = taken.withLock { taken in
            guard taken + bytes.count <= limitBytes else { return false }
            taken += bytes.count
            return true
        }
        return hasRoom ? HeldBytes(bytes, overflow: self) : nil
    }

    fileprivate func release(_ count: Int) { taken.withLock { $0 -= count } }

    /// The bytes of one waiting write.
    final class HeldBytes: Sendable {
        let bytes: [UInt8]
        private let overflow: WriteOverflow

        init(_ bytes: UnsafeRawBufferPointer, overflow: WriteOverflow) {
            self.bytes = Array(bytes)
            self.overflow = overflow
        }

        deinit { overflow.release(bytes.count) }
    }
}
