import CRuntime
import Glibc
import LocalStore
import ObjectStore
import Runtime

/// Why bytes that were staged can't be read.
package struct StagingError: Error, Sendable {
    /// As in errno.h; ENODATA where the bytes were never written, or given back.
    package let errno: Int32
}

/// A file without a name for bytes of one upload session: what stands at an offset of the user's file stands at the same
/// offset here, and the rest is a hole.
///
/// Room is reserved first and written then, so that a full disk is met before anything was promised. All calls block on
/// the disk. Any thread; but one range is one thread's at a time, as its owner is who knows what it holds.
package final class StagingFile: Sendable {
    private struct State {
        /// Ranges that are reserved, and of these the ones that were written.
        var reserved = RangeSet()
        var written = RangeSet()
        /// The disk's blocks that the reserved ranges touch: what the account is charged for.
        var blocks = RangeSet()
    }

    /// The disk's unit of room: every file system of Linux's that is in use has blocks of 4 KiB, or of less.
    private static let blockBytes = 4096

    private let descriptor: Descriptor
    private let folder: StagingFolder
    /// Guards the ranges; never held across the disk. A leaf.
    private let state = Locked(State())

    init(_ descriptor: Descriptor, in folder: StagingFolder) {
        self.descriptor = descriptor
        self.folder = folder
    }

    deinit { folder.giveBack(state.withLock { Self.bytes(ofBlocks: $0.blocks.count) }) }

    /// What the file takes of the account, in bytes.
    package var usedBytes: Int64 { state.withLock { Self.bytes(ofBlocks: $0.blocks.count) } }

    /// Sets room aside for `range`, or what of it has none yet; false, with nothing set aside, where the limit or the
    /// disk has none.
    package func reserve(_ range: ByteRange) -> Bool {
        guard let range = Self.bounds(range) else { return range.isEmpty }
        let blocks = Self.blocks(touching: range)
        let lacking = state.withLock { state in
            let gaps = state.blocks.gaps(in: blocks)
            state.blocks.insert(blocks)
            return gaps
        }
        let charge = Self.bytes(ofBlocks: lacking.reduce(0) { $0 + $1.count })
        guard folder.take(charge) else {
            forget(lacking)
            return false
        }
        for gap in lacking {
            let failure = allocate(gap)
            guard failure != 0 else { continue }
            folder.tellFailure(failure)
            // What was allocated, this one's beginning too, goes back.
            for gap in lacking { _ = punchHole(gap) }
            forget(lacking)
            folder.giveBack(charge)
            return false
        }
        state.withLock { $0.reserved.insert(range) }
        return true
    }

    /// Writes into a reserved range; false where that fails (a broken disk, or not reserved): the caller keeps its bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        guard let range = Self.bounds(offset..<offset + Int64(bytes.count)) else { return bytes.isEmpty }
        let isReserved = state.withLock { state in
            // Half-written bytes must not pass for those that stood there.
            state.written.remove(range)
            return state.reserved.gaps(in: range).isEmpty
        }
        guard isReserved else { return false }
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor.number, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                off_t(range.lowerBound + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                folder.tellFailure(count < 0 ? errno : ENOSPC)
                return false
            }
            done += count
        }
        state.withLock { $0.written.insert(range) }
        return true
    }

    /// Reads bytes that were written, all of `buffer`.
    ///
    /// - Throws: the disk's errno, or ENODATA where not all of them were written; the buffer then holds anything.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StagingError) {
        guard let range = Self.bounds(offset..<offset + Int64(buffer.count)) else { return }
        guard state.withLock({ $0.written.gaps(in: range).isEmpty }) else { throw StagingError(errno: ENODATA) }
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor.number, buffer.baseAddress?.advanced(by: done), buffer.count - done,
                off_t(range.lowerBound + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StagingError(errno: count < 0 ? errno : EIO) }
            done += count
        }
    }

    /// Gives the room of `range` back, and forgets its bytes. Blocks that other reserved bytes share stay.
    package func punch(_ range: ByteRange) {
        guard let range = Self.bounds(range) else { return }
        let freed: [Range<Int>] = state.withLock { state in
            state.reserved.remove(range)
            state.written.remove(range)
            var blocks = Self.blocks(touching: range)
            if state.reserved.intersects(Self.bytes(of: blocks.lowerBound)) {
                blocks = blocks.lowerBound + 1..<max(blocks.lowerBound + 1, blocks.upperBound)
            }
            if let last = blocks.last, state.reserved.intersects(Self.bytes(of: last)) {
                blocks = blocks.lowerBound..<last
            }
            // Those that were charged for at all.
            var held = RangeSet()
            for block in state.blocks.ranges where block.overlaps(blocks) { held.insert(block.clamped(to: blocks)) }
            return held.ranges
        }
        // Room that could not be given back is still taken.
        let done = freed.filter { punchHole($0) }
        forget(done)
        folder.giveBack(Self.bytes(ofBlocks: done.reduce(0) { $0 + $1.count }))
    }

    private func forget(_ blocks: [Range<Int>]) {
        state.withLock { state in
            for range in blocks { state.blocks.remove(range) }
        }
    }

    /// Room for blocks, by posix_fallocate(3), which writes where the file system knows no reservation; 0 or an errno.
    private func allocate(_ blocks: Range<Int>) -> Int32 {
        while true {
            let failure = posix_fallocate(
                descriptor.number, off_t(blocks.lowerBound * Self.blockBytes), off_t(blocks.count * Self.blockBytes))
            if failure != EINTR { return failure }
        }
    }

    private func punchHole(_ blocks: Range<Int>) -> Bool {
        cruntime_punch_hole(
            descriptor.number, blocks.lowerBound * Self.blockBytes, blocks.count * Self.blockBytes) == 0
    }

    /// Nil where it is empty.
    private static func bounds(_ range: ByteRange) -> Range<Int>? {
        range.isEmpty || range.lowerBound < 0 ? nil : Int(range.lowerBound)..<Int(range.upperBound)
    }

    private static func blocks(touching range: Range<Int>) -> Range<Int> {
        range.lowerBound / blockBytes..<(range.upperBound - 1) / blockBytes + 1
    }

    private static func bytes(of block: Int) -> Range<Int> { block * blockBytes..<(block + 1) * blockBytes }
    private static func bytes(ofBlocks count: Int) -> Int64 { Int64(count) * Int64(blockBytes) }
}
