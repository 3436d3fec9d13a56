import ObjectStore
import Runtime

// What bodies of parts and spills read of a map, and what becomes of the blocks meanwhile.

extension BlockMap {
    /// The bytes of `range` as a body, which reads the map's slabs until they are unpinned; nil while some are missing.
    mutating func makeBody(_ range: ByteRange, staging: StagingFile?) -> PartBody? {
        let pieces = pieces(in: range)
        let isWhole = pieces.allSatisfy { piece in
            if case .source = piece.place { return false }
            return true
        }
        guard isWhole else { return nil }
        return PartBody(range: range, pieces: pieces, pinned: pin(range), staging: staging)
    }

    /// Keeps the slabs of `range` as they are until `unpin`.
    mutating func pin(_ range: ByteRange) -> [(index: Int64, slab: Slab)] {
        guard !range.isEmpty else { return [] }
        var pinned: [(index: Int64, slab: Slab)] = []
        for index in indices(in: range) {
            guard let slab = blocks[index]?.slab else { continue }
            change(index) { $0.pins += 1 }
            pinned.append((index, slab))
        }
        return pinned
    }

    /// Ends what `pin` began.
    mutating func unpin(_ pinned: [(index: Int64, slab: Slab)]) {
        for (index, slab) in pinned {
            // A block that was written meanwhile has another slab, which nobody reads.
            guard blocks[index]?.slab === slab else { continue }
            change(index) { $0.pins = max(0, $0.pins - 1) }
        }
    }

    /// Notes that the changes in `range` are on their way.
    mutating func beginSending(_ range: ByteRange) {
        forEachBlock(in: range) { block, part in
            for unsent in block.unsent.intersection(part) { block.sending.insert(unsent) }
            block.unsent.remove(part)
        }
    }

    /// Ends what `beginSending` began: sent, or changes as before.
    mutating func endSending(_ range: ByteRange, isSent: Bool) {
        forEachBlock(in: range) { block, part in
            if !isSent { for range in block.sending.intersection(part) { block.unsent.insert(range) } }
            block.sending.remove(part)
        }
    }

    /// Whether memory or the staging file has every byte of `range`.
    func isLocal(_ range: ByteRange) -> Bool {
        pieces(in: range).allSatisfy { piece in
            switch piece.place {
            case .memory, .staged: true
            case .source, .zero: false
            }
        }
    }

    /// Makes changes again of the bytes of `range`; false, with nothing changed, where this machine hasn't all of them.
    mutating func returnToUnsent(_ range: ByteRange) -> Bool {
        guard isLocal(range) else { return false }
        forEachBlock(in: range) { block, part in block.unsent.insert(part) }
        under.clear(range)
        return true
    }

    /// Gives back up to `limit` slabs that hold nothing of their own.
    mutating func dropClean(limit: Int) -> [Slab] {
        var dropped: [Slab] = []
        for (index, block) in blocks where block.isDroppable && dropped.count < limit {
            guard let slab = block.slab else { continue }
            dropped.append(slab)
            change(index) { block in
                block.slab = nil
                block.valid = RangeSet()
            }
        }
        return dropped
    }

    /// Blocks whose changes could be moved out of memory, in order, pinned until `endSpill`.
    mutating func beginSpill(limit: Int) -> [Spill] {
        guard slabCount > 0 else { return [] }
        let indices = blocks.filter { $0.value.slab != nil && $0.value.pins == 0 && $0.value.sending.isEmpty }.keys
        var spills: [Spill] = []
        for index in indices.sorted().prefix(limit) {
            guard let block = blocks[index], let slab = block.slab, block.valid.intersects(block.unsent) else {
                continue
            }
            spills.append(Spill(index: index, slab: slab, ranges: block.valid.ranges))
            change(index) { $0.pins += 1 }
        }
        return spills
    }

    /// Ends a spill: what wasn't written meanwhile has left memory, for the staging file or for the extents that
    /// `place` gives.
    mutating func endSpill(_ spills: [Spill], _ outcome: SpillOutcome) {
        for spill in spills {
            guard blocks[spill.index]?.slab === spill.slab else { continue }
            change(spill.index) { $0.pins = max(0, $0.pins - 1) }
            guard outcome != .failed, let block = blocks[spill.index], block.pins == 0, block.sending.isEmpty else {
                continue
            }
            // Bytes of the base may have been filled in since: they can be had again.
            var left = RangeSet()
            for range in spill.ranges.flatMap({ block.valid.intersection($0) }) { left.insert(range) }
            change(spill.index) { block in
                block.slab = nil
                block.valid = RangeSet()
                if outcome == .staged { block.staged.formUnion(left) }
                if outcome == .sent { for range in left.ranges { block.unsent.remove(range) } }
            }
        }
    }

    /// Everything has become the object of `reader`: nothing is unsent, and what memory holds stays as a copy.
    mutating func settle(over reader: ObjectReader) {
        under = ExtentMap(of: reader)
        for index in Array(blocks.keys) {
            change(index) { block in
                block.staged = RangeSet()
                block.unsent = RangeSet()
                block.sending = RangeSet()
            }
        }
    }

    /// What stood in `range` has become the whole of an object.
    mutating func replace(_ range: ByteRange, by reader: ObjectReader) {
        under.set(range, .object(reader, offset: 0))
        forEachBlock(in: range) { block, part in
            block.valid.remove(part)
            block.staged.remove(part)
            block.unsent.remove(part)
            if block.valid.isEmpty, block.pins == 0 { block.slab = nil }
        }
    }

    /// Lets the object below show through wherever memory has the same bytes, so that the file counts as one piece.
    mutating func forgetMemoryWhereSourced() {
        for index in Array(blocks.keys) { change(index) { $0 = Block() } }
    }

    private mutating func forEachBlock(in range: ByteRange, _ body: (inout Block, Range<Int>) -> Void) {
        guard !range.isEmpty else { return }
        for index in indices(in: range) {
            let start = index * grid.blockBytes
            let lower = Int(max(range.lowerBound - start, 0))
            let upper = Int(min(range.upperBound - start, grid.blockBytes))
            change(index) { body(&$0, lower..<upper) }
        }
    }
}

/// A block on its way out of memory.
struct Spill {
    let index: Int64
    let slab: Slab
    /// The bytes of the slab that are the file's.
    let ranges: [Range<Int>]

    var count: Int { ranges.reduce(0) { $0 + $1.count } }
}

/// What became of a spill's bytes.
enum SpillOutcome { case staged, sent, failed }
