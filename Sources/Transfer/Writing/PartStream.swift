import Checksums
import ObjectStore

/// A multipart upload into which a run of a file's bytes goes in order; a value of its session.
struct PartStream {
    /// One stretch of the file as a part. Parts follow on each other, in the file and in their numbers.
    struct Part {
        let number: Int
        let range: ByteRange
        /// What truncations have left of it.
        var visibleEnd: Int64
        var isInFlight = true
        /// Nil until it is there.
        var result: PartResult?
    }

    /// The engine's number, by which extents name it.
    let number: UInt64
    /// Where the stream began; bytes before that are planned at the commit and take the numbers that were left for them.
    let start: Int64
    /// Where the next part begins.
    private(set) var end: Int64
    var parts: [Part] = []
    /// Nil until it was begun.
    var address: UploadAddress?
    var isBeginning = false
    /// How it was begun.
    var isDirect = false
    var metadata = ObjectMetadata()
    /// Parts failed: no more are cut before a commit has tried again.
    var isStalled = false
    /// Its numbers are used up, and somebody is to make an object of it.
    var isRollingOver = false

    /// Numbers left for the bytes before the start, which are a stretch or two, or a base with a few edits.
    static let reservedNumbers = 64

    /// - Parameter reserved: numbers left for the bytes before `start`, 0 where there are none.
    init(number: UInt64, start: Int64, reserved: Int) {
        self.number = number
        self.start = start
        end = start
        firstNumber = reserved + 1
    }

    let firstNumber: Int
    var nextNumber: Int { (parts.last?.number ?? firstNumber - 1) + 1 }
    var hasPartsInFlight: Bool { parts.contains { $0.isInFlight } }

    mutating func cut(_ bytes: Int64) -> Part {
        let part = Part(number: nextNumber, range: end..<end + bytes, visibleEnd: end + bytes)
        parts.append(part)
        end += bytes
        return part
    }

    /// Bytes past `size` are gone for good, whatever their parts hold.
    mutating func truncate(to size: Int64) {
        for index in parts.indices.reversed() {
            guard parts[index].range.upperBound > size else { break }
            parts[index].visibleEnd = min(parts[index].visibleEnd, max(size, parts[index].range.lowerBound))
        }
    }

    /// Takes the last part back, whose bytes are to be sent otherwise.
    mutating func dropLast() {
        guard let last = parts.popLast() else { return }
        end = last.range.lowerBound
    }

    func index(of number: Int) -> Int? {
        let index = number - firstNumber
        return parts.indices.contains(index) ? index : nil
    }

    /// Bytes of the parts together, which is what the object has when it is completed with them alone.
    var bytes: Int64 { end - start }

    /// CRC-64 of the parts together; nil where the service told none of one of them.
    var crc64: UInt64? { Self.combined(parts.map(\.result)) }

    static func combined(_ results: [PartResult?]) -> UInt64? {
        var whole: UInt64 = 0
        for result in results {
            guard let result, let crc = result.crc64 else { return nil }
            whole = CRC64.combine(whole, crc, lengthOfB: result.size)
        }
        return whole
    }
}

/// What is to be done once the lock is free: parts to send, and a stream that has used up its numbers.
struct StreamCut: Sendable {
    var work: [StreamWork] = []
    var rollsOver: UInt64?
}

/// A part that was cut and is to be sent.
struct StreamWork: Sendable {
    let stream: UInt64
    let number: Int
    let range: ByteRange
    let body: PartBody
}
