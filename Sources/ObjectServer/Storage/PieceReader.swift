import CObjectServer
import Glibc

/// Reads an object's bytes, over the files that they lie in; they stay readable when the object is replaced. Of one
/// thread at a time.
final class PieceReader {
    private let pieces: [Piece]
    private let folder: ObjectFolder
    private let lease: UInt64
    /// The piece whose file is open, and where it begins in the object.
    private var index = 0
    private var start: UInt64 = 0
    private var descriptor: Int32 = -1

    /// Takes over the lease.
    init(_ pieces: [Piece], folder: ObjectFolder, lease: UInt64) {
        self.pieces = pieces
        self.folder = folder
        self.lease = lease
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        folder.giveBack(lease)
    }

    /// A reply's body with `length` bytes from `offset` on: the file itself where they lie in one.
    func body(offset: UInt64, length: UInt64) throws(StorageError) -> Reply.Body {
        let stretch = pieces.stretch(offset: offset, length: length)
        guard let first = stretch.first else { return .none }
        guard stretch.count == 1, first.body != .synthetic else { return .pieces(self, offset: offset, length: length) }
        return .file(descriptor: try open(first), offset: first.offset, length: length)
    }

    private func open(_ piece: Piece) throws(StorageError) -> Int32 {
        if let descriptor = try folder.bodies.open(piece.body) { return descriptor }
        throw StorageError(action: "open a body", number: ENOENT)
    }

    /// Fills `buffer` from `position` of the object on, to the end of a file at the most: the count, 0 at the end.
    func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
        if position < start { try move(to: 0, start: 0) }
        while index < pieces.count, position - start >= pieces[index].length {
            try move(to: index + 1, start: start + pieces[index].length)
        }
        guard index < pieces.count else { return 0 }
        let piece = pieces[index]
        let within = position - start
        let count = Int(min(UInt64(buffer.count), piece.length - within))
        guard piece.body != .synthetic else {
            cobjectserver_pattern(buffer.baseAddress, count, position)
            return count
        }
        if descriptor < 0 { descriptor = try open(piece) }
        let moved = pread(descriptor, buffer.baseAddress, count, off_t(piece.offset + within))
        guard moved > 0 else { throw StorageError(action: "read a body", number: moved < 0 ? errno : EIO) }
        return moved
    }

    private func move(to index: Int, start: UInt64) throws(StorageError) {
        if descriptor >= 0 { close(descriptor) }
        (self.index, self.start, descriptor) = (index, start, -1)
    }

    /// The checksum of a stretch, by reading it.
    func crc(offset: UInt64, length: UInt64) throws(StorageError) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        var (crc, done) = (UInt64(0), UInt64(0))
        while done < length {
            let count = Int(min(UInt64(buffer.count), length - done))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            let moved = try read(at: offset + done, into: piece)
            guard moved > 0 else { throw StorageError(action: "read a body", number: EIO) }
            crc = cobjectserver_crc64(crc, piece.baseAddress, moved)
            done += UInt64(moved)
        }
        return crc
    }
}
