import Runtime

/// Counts the bytes of writes that wait for memory, and refuses more than fit.
final class WriteOverflow: Sendable {
    private let limitBytes: Int
    private struct State {
        var taken = 0
        /// Buffers to use again, as fresh pages cost more than the copy.
        var spare: [[UInt8]] = []
    }

    /// Buffers that are kept. 16, of 1 MiB at most: the writes that wait for one stream's parts.
    private static let spareBuffers = 16
    // Guarded: bytes taken, buffers to use again. A leaf lock.
    private let state = Locked(State())

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// A copy of `bytes` that counts until it is let go of; nil where too many writes wait already.
    func hold(_ bytes: UnsafeRawBufferPointer) -> HeldBytes? {
        let (hasRoom, spare): (Bool, [UInt8]?) = state.withLock { state in
            guard state.taken + bytes.count <= limitBytes else { return (false, nil) }
            state.taken += bytes.count
            guard state.spare.last?.count == bytes.count else { return (true, nil) }
            return (true, state.spare.popLast())
        }
        guard hasRoom else { return nil }
        guard var buffer = spare else { return HeldBytes(Array(bytes), overflow: self) }
        buffer.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
        return HeldBytes(buffer, overflow: self)
    }

    fileprivate func release(_ bytes: [UInt8]) {
        state.withLock { state in
            state.taken -= bytes.count
            if state.spare.count < Self.spareBuffers { state.spare.append(bytes) }
        }
    }

    /// The bytes of one waiting write.
    final class HeldBytes: Sendable {
        let bytes: [UInt8]
        private let overflow: WriteOverflow

        init(_ bytes: [UInt8], overflow: WriteOverflow) {
            self.bytes = bytes
            self.overflow = overflow
        }

        deinit { overflow.release(bytes) }
    }
}
