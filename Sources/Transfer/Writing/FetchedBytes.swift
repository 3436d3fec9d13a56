import ObjectStore
import Runtime

/// Bytes of other objects that a commit sends: exactly those that it lacks, in blocks of their own.
final class FetchedBytes: Sendable {
    /// A stretch of the file that one request brings.
    private struct Span {
        var range: ByteRange
        let reader: ObjectReader
        /// From an offset of the file to that of the object.
        let shift: Int64
    }

    private let grid: BlockGrid
    private let spans: [Span]
    private let slabs = Locked<[Int64: Slab]>([:])

    /// Bytes between two stretches of one object that are fetched with them rather than by a request of their own. 1 MiB:
    /// what a request's 20 ms bring at 500 Mbit/s.
    private static let bridge: Int64 = 1 << 20

    /// What `pieces` lack.
    init(of pieces: [BlockMap.Piece], grid: BlockGrid) {
        self.grid = grid
        var spans: [Span] = []
        for piece in pieces {
            guard case .source(.object(let reader, let offset)) = piece.place else { continue }
            let shift = offset - piece.range.lowerBound
            if let last = spans.last, last.reader === reader, last.shift == shift,
                piece.range.lowerBound - last.range.upperBound <= Self.bridge
            {
                spans[spans.count - 1].range = last.range.lowerBound..<piece.range.upperBound
            } else {
                spans.append(Span(range: piece.range, reader: reader, shift: shift))
            }
        }
        self.spans = spans
    }

    private var indices: Set<Int64> { Set(spans.flatMap { grid.indices(of: $0.range) }) }

    /// The memory that it takes, in bytes.
    var bytes: Int64 { Int64(indices.count) * grid.blockBytes }

    /// Gets all of it.
    func fetch(_ engine: UploadEngine, _ context: RequestContext) throws(ObjectStoreError) {
        for index in indices {
            let slab = try engine.takeSlab(context)
            slabs.withLock { $0[index] = slab }
        }
        for span in spans {
            let receiver = Receiver(shift: span.shift, grid: grid, slabs: slabs.withLock { $0 })
            let wanted = span.range.lowerBound + span.shift..<span.range.upperBound + span.shift
            let pin = span.reader.pin
            try engine.store.get(
                GetRequest(key: pin.key, range: wanted, ifMatch: pin.etag), into: receiver,
                engine.context(context.cancellation, bytes: Int64(wanted.count)))
            guard receiver.end == wanted.upperBound else {
                throw ObjectStoreError(
                    kind: .unexpected, operation: "GetObject", key: pin.key,
                    message: "The object ended before its length.", isRetryable: true)
            }
        }
    }

    /// The same pieces with what was fetched in the place of what lacked.
    func completed(_ pieces: [BlockMap.Piece]) -> [BlockMap.Piece] {
        let slabs = slabs.withLock { $0 }
        return pieces.flatMap { piece -> [BlockMap.Piece] in
            guard case .source(.object) = piece.place else { return [piece] }
            return grid.pieces(of: piece.range).compactMap { part in
                guard let slab = slabs[part.index] else { return nil }
                let start = part.index * grid.blockBytes
                return BlockMap.Piece(
                    range: start + Int64(part.range.lowerBound)..<start + Int64(part.range.upperBound),
                    place: .memory(slab, position: part.range.lowerBound))
            }
        }
    }

    private final class Receiver: ObjectReceiver, @unchecked Sendable {
        // Unchecked: the store calls it one call after the other, and its owner looks only once the get has ended.
        private let shift: Int64
        private let grid: BlockGrid
        private let slabs: [Int64: Slab]
        private(set) var end: Int64 = 0

        init(shift: Int64, grid: BlockGrid, slabs: [Int64: Slab]) {
            self.shift = shift
            self.grid = grid
            self.slabs = slabs
        }

        func begin(_ info: ObjectInfo) {}

        func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
            let start = offset - shift
            for part in grid.pieces(of: start..<start + Int64(bytes.count)) {
                guard let slab = slabs[part.index] else { return false }
                let within = Int(part.index * grid.blockBytes - start) + part.range.lowerBound
                slab.store(
                    UnsafeRawBufferPointer(rebasing: bytes[within..<within + part.range.count]),
                    at: part.range.lowerBound)
            }
            end = offset + Int64(bytes.count)
            return true
        }
    }
}

/// How many bytes of other objects all commits of a mount fetch at once, so that those that hold some and wait for more
/// never hold all memory.
final class FetchAllowance: Sendable {
    private let limit: Int64
    /// Guards what is taken; threads wait here. A leaf.
    private let taken = Locked<Int64>(0)

    init(limit: Int64) { self.limit = limit }

    /// Runs `body` once `bytes` are allowed; one that asks for more than there is runs alone.
    func with<Value>(
        _ bytes: Int64, _ context: RequestContext, _ body: () throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> Value {
        guard bytes > 0 else { return try body() }
        let isAllowed = taken.wait(until: context.deadline) { taken -> Bool? in
            guard taken == 0 || taken + bytes <= limit else { return nil }
            taken += bytes
            return true
        }
        guard isAllowed == true else {
            throw ObjectStoreError(
                kind: .unavailable, operation: "memory", message: "No memory came free in time.", isRetryable: true)
        }
        defer {
            taken.withLock { $0 -= bytes }
            taken.wakeAll()
        }
        return try body()
    }
}
