import ObjectStore
import Runtime

/// How the bytes of files are cut into blocks: aligned, all of one length, which is a slab's.
package struct BlockGrid: Sendable, Hashable {
    /// The length of a block in bytes; a power of two.
    package let blockBytes: Int64

    /// The grid whose blocks fill the slabs of `pool`.
    package init(of pool: SlabPool) { blockBytes = Int64(pool.slabBytes) }

    /// The block that holds the byte at `offset`.
    func index(of offset: Int64) -> Int64 { offset / blockBytes }

    /// Where in its block the byte at `offset` stands.
    func position(of offset: Int64) -> Int { Int(offset % blockBytes) }

    /// The bytes of a block.
    func range(of index: Int64) -> ByteRange { index * blockBytes..<(index + 1) * blockBytes }

    /// The indices of the blocks that `range`, which isn't empty, touches.
    func indices(of range: ByteRange) -> ClosedRange<Int64> {
        range.lowerBound / blockBytes...(range.upperBound - 1) / blockBytes
    }

    /// The parts of `range` by block: the block's index, and the range within it.
    func pieces(of range: ByteRange) -> [(index: Int64, range: Range<Int>)] {
        guard !range.isEmpty else { return [] }
        return indices(of: range).map { index in
            let start = index * blockBytes
            let lower = Int(max(range.lowerBound - start, 0))
            let upper = Int(min(range.upperBound - start, blockBytes))
            return (index, lower..<upper)
        }
    }
}
