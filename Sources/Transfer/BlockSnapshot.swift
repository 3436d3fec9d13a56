import Checksums
import ObjectStore
import Runtime

/// A file's content at one moment, as the body of a put; its blocks don't change while it lives.
package final class BlockSnapshot: ObjectBody, @unchecked Sendable {
    // Unchecked: everything is set at creation; the slabs are frozen, so nobody writes to them.
    struct Block {
        let slab: Slab
        let valid: RangeSet
    }

    package let count: Int64
    let grid: BlockGrid
    let blocks: [Int64: Block]
    /// Computed at creation, on the thread that commits.
    package let crc64: UInt64?

    init(size: Int64, grid: BlockGrid, blocks: [Int64: Block]) {
        count = size
        self.grid = grid
        self.blocks = blocks
        crc64 = nil
    }

    private init(of snapshot: BlockSnapshot, crc64: UInt64) {
        count = snapshot.count
        grid = snapshot.grid
        blocks = snapshot.blocks
        self.crc64 = crc64
    }

    /// The same with its CRC-64 computed; reads all bytes once.
    package func withChecksum() -> BlockSnapshot {
        var crc = CRC64()
        var offset: Int64 = 0
        while offset < count {
            let piece = piece(at: offset)
            crc.update(piece)
            offset += Int64(piece.count)
        }
        return BlockSnapshot(of: self, crc64: crc.value)
    }

    package func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < count, let target = buffer.baseAddress else { return 0 }
        let piece = piece(at: offset)
        let length = min(piece.count, buffer.count)
        guard let source = piece.baseAddress else { return 0 }
        target.copyMemory(from: source, byteCount: length)
        return length
    }

    /// The longest run of bytes at `offset` that stands in one place: a valid range, or zeros.
    private func piece(at offset: Int64) -> UnsafeRawBufferPointer {
        let index = grid.index(of: offset)
        let within = grid.position(of: offset)
        let blockEnd = Int(min(count - index * grid.blockBytes, grid.blockBytes))
        guard let block = blocks[index] else { return ZeroPage.bytes(blockEnd - within) }
        for valid in block.valid.ranges where valid.upperBound > within {
            if valid.lowerBound > within { return ZeroPage.bytes(min(valid.lowerBound, blockEnd) - within) }
            let end = min(valid.upperBound, blockEnd)
            return UnsafeRawBufferPointer(start: block.slab.base + within, count: end - within)
        }
        return ZeroPage.bytes(blockEnd - within)
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
