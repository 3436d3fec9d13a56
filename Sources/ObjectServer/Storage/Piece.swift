/// The file that holds bytes of objects; `empty` stands for no file and no bytes.
struct BodyID: Hashable, Sendable {
    let number: Int64
    static let empty = BodyID(number: 0)
    /// No file: the bytes are made up from where they lie in the object.
    static let synthetic = BodyID(number: -1)
}

/// A stretch of a body. An object's bytes are its pieces, one after the other: one for an object put at once, one for
/// each part of an upload, so that completing one moves no bytes. Each file is named by one piece of one row.
struct Piece: Hashable, Sendable {
    var body: BodyID
    /// Where in the body it begins: above 0 where a part was copied out of the middle of an object.
    var offset: UInt64
    /// Above 0.
    var length: UInt64

    private static let packedBytes = 24
}

extension Array where Element == Piece {
    /// None for an empty body.
    init(_ body: BodyID, length: UInt64) { self = length == 0 ? [] : [Piece(body: body, offset: 0, length: length)] }

    var bodies: Set<BodyID> { Set<BodyID>(lazy.map(\.body)) }

    var length: UInt64 { reduce(0) { $0 + $1.length } }

    /// What `length` bytes from `offset` on are made of.
    func stretch(offset: UInt64, length: UInt64) -> [Piece] {
        var result: [Piece] = []
        var (skip, rest) = (offset, length)
        for piece in self {
            guard rest > 0 else { break }
            guard skip < piece.length else {
                skip -= piece.length
                continue
            }
            let count = Swift.min(piece.length - skip, rest)
            result.append(Piece(body: piece.body, offset: piece.offset + skip, length: count))
            rest -= count
            skip = 0
        }
        return result
    }
}

extension Piece {
    static func packed(_ pieces: [Piece]) -> Bytes {
        var bytes: Bytes = []
        bytes.reserveCapacity(pieces.count * packedBytes)
        for piece in pieces {
            for number in [UInt64(bitPattern: piece.body.number), piece.offset, piece.length] {
                withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            }
        }
        return bytes
    }

    static func unpacked(_ bytes: Bytes) -> [Piece] {
        func number(_ offset: Int) -> UInt64 { bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        return stride(from: 0, through: bytes.count - packedBytes, by: packedBytes).map { offset in
            Piece(
                body: BodyID(number: Int64(bitPattern: number(offset))), offset: number(offset + 8),
                length: number(offset + 16))
        }
    }
}
