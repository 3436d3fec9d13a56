import Checksums
import ObjectStore
import Runtime

/// A stretch of a file at one moment, as the body of a put or part; its bytes don't change while it lives.
///
/// Slabs are pinned by the map that made it; staged bytes stay as they are until the map says that they are sent. Reading
/// staged bytes waits for the local disk and nothing else, and they were written moments ago.
final class PartBody: ObjectBody, @unchecked Sendable {
    // Unchecked: everything is set at creation but the checksum, which is set before the body is handed on.
    let range: ByteRange
    let pieces: [BlockMap.Piece]
    let pinned: [(index: Int64, slab: Slab)]
    private let staging: StagingFile?
    private(set) var crc64: UInt64?

    init(range: ByteRange, pieces: [BlockMap.Piece], pinned: [(index: Int64, slab: Slab)], staging: StagingFile?) {
        self.range = range
        self.pieces = pieces
        self.pinned = pinned
        self.staging = staging
    }

    var count: Int64 { Int64(range.count) }

    /// Computes the CRC-64, reading all bytes once; throws `unexpected` where the staging file can't be read.
    func computeChecksum() throws(ObjectStoreError) {
        var crc = CRC64()
        var offset: Int64 = 0
        var buffer: [UInt8] = []
        while offset < count {
            if let bytes = memory(at: offset) {
                crc.update(bytes)
                offset += Int64(bytes.count)
                continue
            }
            // 64 KiB: a few calls for a block, and little stack.
            if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 64 * 1024) }
            let copied = buffer.withUnsafeMutableBytes { buffer in
                let copied = copy(from: offset, into: buffer)
                crc.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<copied]))
                return copied
            }
            guard copied > 0 else {
                throw ObjectStoreError(
                    kind: .unexpected, operation: "staging", message: "The staging file in cache-dir can't be read.",
                    isRetryable: false)
            }
            offset += Int64(copied)
        }
        crc64 = crc.value
    }

    /// Zero where the staging file can't be read, which ends the exchange.
    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < count, let target = buffer.baseAddress else { return 0 }
        if let bytes = memory(at: offset), let source = bytes.baseAddress {
            let length = min(bytes.count, buffer.count)
            target.copyMemory(from: source, byteCount: length)
            return length
        }
        guard let piece = piece(at: offset), let staging else { return 0 }
        let position = range.lowerBound + offset
        let length = min(Int(piece.range.upperBound - position), buffer.count)
        let part = UnsafeMutableRawBufferPointer(start: target, count: length)
        do throws(StagingError) {
            try staging.read(into: part, at: position)
            return length
        } catch {
            return 0
        }
    }

    /// The longest run of bytes at `offset` that memory holds in one place; nil where they are staged.
    private func memory(at offset: Int64) -> UnsafeRawBufferPointer? {
        guard let piece = piece(at: offset) else { return nil }
        let position = range.lowerBound + offset
        let left = Int(piece.range.upperBound - position)
        switch piece.place {
        case .memory(let slab, let start):
            let within = start + Int(position - piece.range.lowerBound)
            return UnsafeRawBufferPointer(start: slab.base + within, count: left)
        case .zero: return ZeroPage.bytes(left)
        case .staged, .source: return nil
        }
    }

    /// The piece that holds the byte at `offset`, by bisection.
    private func piece(at offset: Int64) -> BlockMap.Piece? {
        let position = range.lowerBound + offset
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].range.upperBound <= position { low = middle + 1 } else { high = middle }
        }
        return low < pieces.count ? pieces[low] : nil
    }
}

/// Zeros, as the body of a put.
struct ZeroBody: ObjectBody {
    let count: Int64
    var crc64: UInt64? { nil }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let bytes = ZeroPage.bytes(Int(min(count - offset, Int64(buffer.count))))
        guard let target = buffer.baseAddress, let source = bytes.baseAddress else { return 0 }
        target.copyMemory(from: source, byteCount: bytes.count)
        return bytes.count
    }
}

/// Zeros to read from, for holes.
enum ZeroPage {
    private static let zeros = UncheckedSendable(
        UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 64).initialisedToZero(length)))
    /// 64 KiB: far fewer calls than pages, and small beside a slab.
    private static let length = 64 * 1024

    /// `count` zeros, or as many as there are.
    static func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: zeros.value, count: min(count, length))
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func initialisedToZero(_ count: Int) -> UnsafeMutableRawPointer {
        initializeMemory(as: UInt8.self, repeating: 0, count: count)
        return self
    }
}
