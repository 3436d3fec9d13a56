import ObjectStore
import Runtime

// What programs read of a file with unsent changes.

extension UploadSession {
    /// The bytes of `range`, cut at the file's end, if memory has all of them.
    package func readNow(_ range: ByteRange) -> ReadBytes? {
        state.withLock { state in
            let pieces = state.map.pieces(in: range)
            let isInMemory = pieces.allSatisfy { piece in
                switch piece.place {
                case .memory, .zero: true
                case .staged, .source: false
                }
            }
            guard isInMemory else { return nil }
            return ReadBytes.copy(of: pieces)
        }
    }

    /// The bytes of `range`, cut at the file's end, wherever they are.
    package func read(_ range: ByteRange, _ context: RequestContext) throws(ObjectStoreError) -> ReadBytes {
        while true {
            let (pieces, staging, size): ([BlockMap.Piece], StagingFile?, Int64) = state.withLock { state in
                (state.map.pieces(in: range), state.staging, state.map.size)
            }
            let end = max(range.lowerBound, min(range.upperBound, size))
            let buffer = CopiedBytes(count: Int(end - range.lowerBound))
            var isWhole = true
            for piece in pieces {
                let start = Int(piece.range.lowerBound - range.lowerBound)
                let target = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[start..<start + piece.range.count])
                isWhole = try fetch(piece, staging, into: target, context) && isWhole
            }
            guard isWhole else { continue }
            // What was written while the rest came is newer.
            state.withLock { state in
                for piece in state.map.pieces(in: range.lowerBound..<end) {
                    guard case .memory(let slab, let position) = piece.place else { continue }
                    let start = Int(piece.range.lowerBound - range.lowerBound)
                    UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[start..<start + piece.range.count])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(start: slab.base + position, count: piece.range.count))
                }
            }
            return ReadBytes(segments: [UnsafeRawBufferPointer(buffer.bytes)], owners: [buffer])
        }
    }

    /// Fetches one piece; false if the bytes had to be made readable first and are to be looked for again.
    private func fetch(
        _ piece: BlockMap.Piece, _ staging: StagingFile?, into target: UnsafeMutableRawBufferPointer,
        _ context: RequestContext
    ) throws(ObjectStoreError) -> Bool {
        switch piece.place {
        case .memory(let slab, let position):
            target.copyMemory(from: UnsafeRawBufferPointer(start: slab.base + position, count: target.count))
        case .zero: target.initializeMemory(as: UInt8.self, repeating: 0)
        case .staged:
            do throws(StagingError) {
                guard let staging else { throw StagingError(errno: 0) }
                try staging.read(into: target, at: piece.range.lowerBound)
            } catch {
                throw ObjectStoreError(
                    kind: .unexpected, operation: "staging",
                    message: "The staging file in cache-dir can't be read (errno \(error.errno)).", isRetryable: false)
            }
        case .source(.object(let reader, let offset)):
            let bytes = try reader.readNow(offset..<offset + Int64(target.count), context)
            var rest = target[...]
            for segment in bytes.segments {
                UnsafeMutableRawBufferPointer(rebasing: rest.prefix(segment.count)).copyMemory(from: segment)
                rest = rest.dropFirst(segment.count)
            }
        case .source(.part(let upload, _, _)):
            try exclusively(context) { () throws(ObjectStoreError) in try makeReadable(upload, context) }
            return false
        }
        return true
    }

    /// Brings what `range` lacks of other objects in, to stay.
    package func load(_ range: ByteRange, _ context: RequestContext) throws(ObjectStoreError) {
        while true {
            let missing: (range: ByteRange, reader: ObjectReader, offset: Int64)? = state.withLock { state in
                for piece in state.map.pieces(in: range) {
                    guard case .source(.object(let reader, let offset)) = piece.place else { continue }
                    return (piece.range, reader, offset)
                }
                return nil
            }
            guard let missing else { return }
            let wanted = missing.offset..<missing.offset + Int64(missing.range.count)
            let bytes = try missing.reader.readNow(wanted, context)
            var position = missing.range.lowerBound
            for segment in bytes.segments {
                for part in engine.cache.grid.pieces(of: position..<position + Int64(segment.count)) {
                    let start = part.index * engine.cache.grid.blockBytes + Int64(part.range.lowerBound)
                    let within = Int(start - position)
                    var slabs = [try engine.takeSlab(context)]
                    state.withLock { state in
                        _ = state.map.load(
                            UnsafeRawBufferPointer(rebasing: segment[within..<within + part.range.count]), at: start,
                            slabs: &slabs)
                    }
                }
                position += Int64(segment.count)
            }
        }
    }
}

extension ReadBytes {
    /// A copy of pieces that are all in memory or zeros.
    static func copy(of pieces: [BlockMap.Piece]) -> ReadBytes {
        guard let first = pieces.first, let last = pieces.last else { return .empty }
        let buffer = CopiedBytes(count: Int(last.range.upperBound - first.range.lowerBound))
        for piece in pieces {
            let start = Int(piece.range.lowerBound - first.range.lowerBound)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[start..<start + piece.range.count])
            if case .memory(let slab, let position) = piece.place {
                target.copyMemory(from: UnsafeRawBufferPointer(start: slab.base + position, count: piece.range.count))
            } else {
                target.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        return ReadBytes(segments: [UnsafeRawBufferPointer(buffer.bytes)], owners: [buffer])
    }
}

/// Bytes copied for one answer.
final class CopiedBytes: Sendable {
    private let memory: UncheckedSendable<UnsafeMutableRawBufferPointer>
    var bytes: UnsafeMutableRawBufferPointer { memory.value }

    init(count: Int) {
        memory = UncheckedSendable(UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16))
    }

    deinit { memory.value.deallocate() }
}
