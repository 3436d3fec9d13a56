import ObjectStore
import Runtime

/// The content of a file with unsent changes: what of it this machine holds, in blocks, over extents of what it doesn't.
///
/// A value of its upload session, touched under the session's lock; it never waits. A byte is the block's where the
/// block's memory has it, else the staging file's where the block says so, else the extent's, else zero.
///
/// Of each block: `valid` bytes stand in its slab, `staged` ones in the staging file at the file's own offset, never both.
/// `unsent` are those that were changed and are in no object or part yet; `sending` those on their way into a part.
struct BlockMap {
    struct Block {
        var slab: Slab?
        var valid = RangeSet()
        var staged = RangeSet()
        var unsent = RangeSet()
        var sending = RangeSet()
        /// How many bodies and spills read the slab: it is copied before it is written again, and not given back.
        var pins = 0

        /// Whether the slab holds nothing that can't be had again.
        var isDroppable: Bool { slab != nil && pins == 0 && !valid.intersects(unsent) && !valid.intersects(sending) }
    }

    /// A stretch of the file and where its bytes are.
    struct Piece {
        enum Place {
            case memory(Slab, position: Int)
            case staged
            case source(ExtentSource)
            case zero
        }
        var range: ByteRange
        var place: Place
    }

    let grid: BlockGrid
    /// The length of the file in bytes.
    private(set) var size: Int64
    var blocks: [Int64: Block] = [:]
    var under: ExtentMap
    /// How many slabs the map holds.
    private(set) var slabCount = 0
    /// The first byte that was written or cut; nil where nothing was.
    private(set) var changedFrom: Int64?
    var isTouched: Bool { changedFrom != nil }

    /// A file without changes over an object, or an empty one.
    init(over reader: ObjectReader?, grid: BlockGrid) {
        self.grid = grid
        size = reader?.size ?? 0
        under = reader.map { ExtentMap(of: $0) } ?? ExtentMap()
    }

    // MARK: Changing

    /// How many slabs a write of these bytes will take.
    func slabsNeeded(at offset: Int64, count: Int) -> Int {
        grid.indices(of: offset..<offset + Int64(max(count, 1))).count { index in
            guard let block = blocks[index], block.slab != nil else { return true }
            return block.pins > 0
        }
    }

    /// Copies `bytes` in at `offset`, taking slabs off the end of `slabs`; false, with nothing changed, if they are too few.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, slabs: inout [Slab]) -> Bool {
        guard !bytes.isEmpty else { return true }
        guard slabs.count >= slabsNeeded(at: offset, count: bytes.count) else { return false }
        for piece in grid.pieces(of: offset..<offset + Int64(bytes.count)) {
            makeWritable(piece.index, slabs: &slabs)
            let start = Int(piece.index * grid.blockBytes - offset) + piece.range.lowerBound
            let source = UnsafeRawBufferPointer(rebasing: bytes[start..<start + piece.range.count])
            change(piece.index) { block in
                block.slab?.store(source, at: piece.range.lowerBound)
                block.valid.insert(piece.range)
                block.staged.remove(piece.range)
                block.unsent.insert(piece.range)
            }
        }
        size = max(size, offset + Int64(bytes.count))
        changedFrom = min(changedFrom ?? offset, offset)
        return true
    }

    /// Puts bytes of another object in where nothing was written since, as changes, so that they stay when it goes; they
    /// are of one block. Takes a slab where the block has none; false if there is none.
    mutating func load(_ bytes: UnsafeRawBufferPointer, at offset: Int64, slabs: inout [Slab]) -> Bool {
        let visible = Int(min(Int64(bytes.count), max(0, size - offset)))
        guard visible > 0 else { return true }
        let index = grid.index(of: offset)
        let lower = grid.position(of: offset)
        if blocks[index]?.slab == nil {
            guard let slab = slabs.popLast() else { return false }
            setSlab(slab, of: index)
        }
        change(index) { block in
            for gap in block.valid.gaps(in: lower..<lower + visible) where !block.staged.intersects(gap) {
                let source = bytes[gap.lowerBound - lower..<gap.upperBound - lower]
                block.slab?.store(UnsafeRawBufferPointer(rebasing: source), at: gap.lowerBound)
                block.valid.insert(gap)
                block.unsent.insert(gap)
            }
        }
        return true
    }

    /// Sets the length; bytes past a shorter one are gone for good, a longer one ends in zeros.
    mutating func truncate(to newSize: Int64) {
        changedFrom = min(changedFrom ?? size, min(size, newSize))
        if newSize < size {
            under.truncate(to: newSize)
            let lastIndex = grid.index(of: newSize)
            let within = grid.position(of: newSize)
            for index in Array(blocks.keys) where index >= lastIndex {
                if index > lastIndex || within == 0 {
                    remove(index)
                } else {
                    change(index) { block in
                        block.valid.truncate(to: within)
                        block.staged.truncate(to: within)
                        block.unsent.truncate(to: within)
                        block.sending.truncate(to: within)
                    }
                }
            }
        }
        size = newSize
    }

    // MARK: Looking

    /// Where the bytes of `range` are, in order, up to the file's end.
    func pieces(in range: ByteRange) -> [Piece] {
        let visible = range.clamped(to: 0..<max(size, 0))
        guard !visible.isEmpty else { return [] }
        var pieces: [Piece] = []
        var position = visible.lowerBound
        for index in indices(in: visible) {
            guard let block = blocks[index] else { continue }
            let blockRange = grid.range(of: index).clamped(to: visible)
            appendUnder(position..<blockRange.lowerBound, to: &pieces)
            append(block, index, blockRange, to: &pieces)
            position = blockRange.upperBound
        }
        appendUnder(position..<visible.upperBound, to: &pieces)
        return pieces
    }

    /// Where the bytes that are changed and unsent without a gap from `offset` on end; `offset` if there are none.
    func unsentEnd(from offset: Int64) -> Int64 {
        var end = offset
        while let block = blocks[grid.index(of: end)] {
            let position = grid.position(of: end)
            guard let run = block.unsent.ranges.first(where: { $0.contains(position) }) else { break }
            end += Int64(run.upperBound - position)
            guard run.upperBound == Int(grid.blockBytes) else { break }
        }
        return end
    }

    /// Whether any byte of `range` was changed and is in no part.
    func hasUnsent(in range: ByteRange) -> Bool {
        guard !range.isEmpty else { return false }
        return indices(in: range).contains { index in
            guard let block = blocks[index] else { return false }
            let start = index * grid.blockBytes
            let lower = Int(max(range.lowerBound - start, 0))
            let upper = Int(min(range.upperBound - start, grid.blockBytes))
            return block.unsent.intersects(lower..<upper)
        }
    }

    /// Whether all of `range` is what `source` has, with nothing changed since.
    func `is`(_ range: ByteRange, _ source: ExtentSource) -> Bool {
        let extents = under.extents(in: range)
        guard extents.count == 1, let extent = extents.first, extent.range == range else { return false }
        return source.continues(as: extent.source, after: 0) && !hasUnsent(in: range)
    }

    /// The indices of the blocks there are in `range`, in order.
    func indices(in range: ByteRange) -> [Int64] {
        let all = grid.indices(of: range)
        if all.count <= blocks.count { return all.filter { blocks[$0] != nil } }
        return blocks.keys.filter { all.contains($0) }.sorted()
    }

    private func append(_ block: Block, _ index: Int64, _ range: ByteRange, to pieces: inout [Piece]) {
        let start = index * grid.blockBytes
        var position = Int(range.lowerBound - start)
        let end = Int(range.upperBound - start)
        let local =
            block.valid.intersection(position..<end).map { ($0, true) }
            + block.staged.intersection(position..<end).map { ($0, false) }
        for (part, isInMemory) in local.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
            appendUnder(start + Int64(position)..<start + Int64(part.lowerBound), to: &pieces)
            let range = start + Int64(part.lowerBound)..<start + Int64(part.upperBound)
            if isInMemory, let slab = block.slab {
                pieces.append(Piece(range: range, place: .memory(slab, position: part.lowerBound)))
            } else if case .staged? = pieces.last?.place, pieces.last?.range.upperBound == range.lowerBound {
                pieces[pieces.count - 1].range = pieces[pieces.count - 1].range.lowerBound..<range.upperBound
            } else {
                pieces.append(Piece(range: range, place: .staged))
            }
            position = part.upperBound
        }
        appendUnder(start + Int64(position)..<range.upperBound, to: &pieces)
    }

    private func appendUnder(_ range: ByteRange, to pieces: inout [Piece]) {
        guard !range.isEmpty else { return }
        var position = range.lowerBound
        func append(_ range: ByteRange, _ source: ExtentSource?) {
            guard !range.isEmpty else { return }
            if let last = pieces.last, last.range.upperBound == range.lowerBound {
                let isSame: Bool
                switch (last.place, source) {
                case (.zero, nil): isSame = true
                case (.source(let old), let source?):
                    isSame = old.continues(as: source, after: range.lowerBound - last.range.lowerBound)
                default: isSame = false
                }
                if isSame {
                    pieces[pieces.count - 1].range = last.range.lowerBound..<range.upperBound
                    return
                }
            }
            pieces.append(Piece(range: range, place: source.map { .source($0) } ?? .zero))
        }
        for extent in under.extents(in: range) {
            append(position..<extent.range.lowerBound, nil)
            append(extent.range, extent.source)
            position = extent.range.upperBound
        }
        append(position..<range.upperBound, nil)
    }

    // MARK: Blocks

    /// Changes a block in place; its entry is made where there is none, and goes where nothing is left in it.
    mutating func change(_ index: Int64, _ body: (inout Block) -> Void) {
        var block = blocks.removeValue(forKey: index) ?? Block()
        let hadSlab = block.slab != nil
        body(&block)
        slabCount += (block.slab != nil ? 1 : 0) - (hadSlab ? 1 : 0)
        let isEmpty = block.slab == nil && block.staged.isEmpty && block.unsent.isEmpty && block.sending.isEmpty
        if !isEmpty { blocks[index] = block }
    }

    private mutating func setSlab(_ slab: Slab, of index: Int64) { change(index) { $0.slab = slab } }

    private mutating func remove(_ index: Int64) { change(index) { $0 = Block() } }

    /// Gives the block a slab that nobody reads; `slabs` has one if that is needed.
    private mutating func makeWritable(_ index: Int64, slabs: inout [Slab]) {
        if let block = blocks[index], block.slab != nil, block.pins == 0 { return }
        guard let slab = slabs.popLast() else { return }
        change(index) { block in
            if let old = block.slab {
                for valid in block.valid.ranges {
                    slab.store(
                        UnsafeRawBufferPointer(start: old.base + valid.lowerBound, count: valid.count),
                        at: valid.lowerBound)
                }
            }
            block.slab = slab
            block.pins = 0
        }
    }
}

extension Slab {
    /// Copies bytes in from `position` on; they fit.
    func store(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        guard let source = bytes.baseAddress else { return }
        (base + position).copyMemory(from: source, byteCount: bytes.count)
    }
}
