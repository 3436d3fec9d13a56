import ObjectStore
import Runtime

/// The content of a file with unsent changes: dirty blocks over a base object, and a length.
///
/// A value of its file, touched under the file's lock. It never waits: slabs are handed in by the caller, who asks
/// `slabsNeeded` first. A byte is the block's where the block says that it is valid, else the base's below `baseBytes`,
/// else zero.
package struct BlockMap {
    private struct Block {
        var slab: Slab
        var valid = RangeSet()
        /// Part of a snapshot that may be on its way: copied before it is written again.
        var isFrozen = false
    }

    /// The length of the file in bytes.
    package private(set) var size: Int64
    /// How many bytes of the base object, from its start, still show through.
    package private(set) var baseBytes: Int64
    /// How the file is cut; each slab that is handed in has this length.
    package let grid: BlockGrid
    private var blocks: [Int64: Block] = [:]
    private var wrote = false

    /// A map without changes over a base of `baseBytes`; 0 for a new or truncated file.
    package init(baseBytes: Int64, grid: BlockGrid) {
        size = baseBytes
        self.grid = grid
        self.baseBytes = baseBytes
    }

    /// Bytes of slabs that the map holds.
    package var heldBytes: Int { blocks.count * Int(grid.blockBytes) }

    /// How many slabs `write` of these bytes will take.
    package func slabsNeeded(at offset: Int64, count: Int) -> Int {
        grid.pieces(of: offset..<offset + Int64(count)).reduce(0) { sum, piece in
            guard let block = blocks[piece.index] else { return sum + 1 }
            return block.isFrozen ? sum + 1 : sum
        }
    }

    /// How many slabs a write into an empty map takes.
    package static func slabs(at offset: Int64, _ count: Int, _ grid: BlockGrid) -> Int {
        BlockMap(baseBytes: 0, grid: grid).slabsNeeded(at: offset, count: count)
    }

    /// Copies `bytes` in at `offset`, taking slabs off the end of `slabs`; false, with nothing changed, if they are too few.
    package mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, slabs: inout [Slab]) -> Bool {
        guard slabs.count >= slabsNeeded(at: offset, count: bytes.count) else { return false }
        for piece in grid.pieces(of: offset..<offset + Int64(bytes.count)) {
            guard var block = writableBlock(piece.index, slabs: &slabs), let source = bytes.baseAddress else {
                return false
            }
            blocks[piece.index] = nil
            let start = Int(piece.index * grid.blockBytes - offset) + piece.range.lowerBound
            (block.slab.base + piece.range.lowerBound).copyMemory(from: source + start, byteCount: piece.range.count)
            block.valid.insert(piece.range)
            blocks[piece.index] = block
        }
        size = max(size, offset + Int64(bytes.count))
        wrote = true
        return true
    }

    /// Sets the length; bytes past a shorter one are gone for good, a longer one ends in zeros.
    package mutating func truncate(to newSize: Int64) {
        wrote = true
        if newSize < size {
            baseBytes = min(baseBytes, newSize)
            let lastIndex = newSize / grid.blockBytes
            let within = Int(newSize % grid.blockBytes)
            for index in Array(blocks.keys) where index >= lastIndex {
                if index > lastIndex || within == 0 {
                    blocks[index] = nil
                } else {
                    blocks[index]?.valid.truncate(to: within)
                }
            }
        }
        size = newSize
    }

    /// The base's bytes that a whole copy of the file still lacks, in order, none longer than a block.
    package func missing() -> [ByteRange] { missing(in: 0..<size) }

    /// The base's bytes that `range` still lacks.
    package func missing(in range: ByteRange) -> [ByteRange] {
        let visible = range.lowerBound..<max(range.lowerBound, min(range.upperBound, baseBytes))
        return grid.pieces(of: visible).flatMap { piece -> [ByteRange] in
            let start = piece.index * grid.blockBytes
            guard let block = blocks[piece.index] else {
                return [start + Int64(piece.range.lowerBound)..<start + Int64(piece.range.upperBound)]
            }
            return block.valid.gaps(in: piece.range).map { start + Int64($0.lowerBound)..<start + Int64($0.upperBound) }
        }
    }

    /// Puts bytes of the base in where nothing was written since; `bytes` stay within one block and below `baseBytes`.
    package mutating func fill(_ bytes: UnsafeRawBufferPointer, at offset: Int64, slabs: inout [Slab]) -> Bool {
        let index = offset / grid.blockBytes
        let lower = Int(offset % grid.blockBytes)
        let visible = min(Int64(bytes.count), max(0, baseBytes - offset))
        let range = lower..<lower + Int(visible)
        guard !range.isEmpty else { return true }
        guard var block = writableBlock(index, slabs: &slabs), let source = bytes.baseAddress else { return false }
        blocks[index] = nil
        for gap in block.valid.gaps(in: range) {
            (block.slab.base + gap.lowerBound).copyMemory(
                from: source + (gap.lowerBound - lower), byteCount: gap.count)
            block.valid.insert(gap)
        }
        blocks[index] = block
        return true
    }

    /// Copies the file's bytes from `offset` on into `buffer`, with zeros where `missing(in:)` names the base's.
    package func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) {
        guard let target = buffer.baseAddress else { return }
        target.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.count)
        for piece in grid.pieces(of: offset..<offset + Int64(buffer.count)) {
            guard let block = blocks[piece.index] else { continue }
            let shift = Int(piece.index * grid.blockBytes - offset)
            for valid in block.valid.ranges {
                let part = valid.clamped(to: piece.range)
                guard !part.isEmpty else { continue }
                (target + (shift + part.lowerBound)).copyMemory(
                    from: block.slab.base + part.lowerBound, byteCount: part.count)
            }
        }
    }

    /// Freezes the content for sending; nil while `missing()` isn't empty.
    package mutating func snapshot() -> BlockSnapshot? {
        guard missing().isEmpty else { return nil }
        var frozen: [Int64: BlockSnapshot.Block] = [:]
        for (index, block) in blocks {
            blocks[index]?.isFrozen = true
            frozen[index] = BlockSnapshot.Block(slab: block.slab, valid: block.valid)
        }
        return BlockSnapshot(size: size, grid: grid, blocks: frozen)
    }

    /// To be called once a snapshot has become the base, or failed: its blocks may be written in place again.
    ///
    /// As the snapshot lacked nothing, the map holds every byte of the file and needs no base any more.
    package mutating func thaw() {
        baseBytes = 0
        for index in Array(blocks.keys) { blocks[index]?.isFrozen = false }
    }

    /// Whether nothing was written or cut: a map that was only begun.
    package var isUntouched: Bool { wrote == false }

    /// The base is gone: what isn't here reads as zeros from now on.
    package mutating func dropBase() { baseBytes = 0 }

    private mutating func writableBlock(_ index: Int64, slabs: inout [Slab]) -> Block? {
        if let block = blocks[index], !block.isFrozen { return block }
        guard let slab = slabs.popLast() else { return nil }
        guard let frozen = blocks[index] else { return Block(slab: slab) }
        for valid in frozen.valid.ranges {
            (slab.base + valid.lowerBound).copyMemory(
                from: frozen.slab.base + valid.lowerBound, byteCount: valid.count)
        }
        return Block(slab: slab, valid: frozen.valid)
    }
}
