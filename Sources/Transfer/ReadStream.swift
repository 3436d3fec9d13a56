import ObjectStore

/// One run of reads in one direction, and how far ahead of it was asked; pure.
struct ReadStream: Sendable {
    private enum Direction { case unknown, forward, backward }

    /// The kernel reads ahead in parallel requests of up to 1 MiB that overtake each other: by a few of them.
    private static let slack: Int64 = 4 << 20
    /// The window grows so much with each step. Fourfold: from 1 MiB to 64 MiB costs three round trips, doubling six.
    private static let growth: Int64 = 4
    /// So many steps back make a backward reader: one or two are requests that overtook each other.
    private static let backwardSteps = 3

    private var direction = Direction.unknown
    /// What has been read, from its lowest to its highest byte.
    private var lower: Int64
    private var upper: Int64
    /// How far was asked, in the stream's direction.
    private var asked: Int64
    private var width: Int64 = 0
    private var stepsBack = 0

    init(_ read: ByteRange) {
        lower = read.lowerBound
        upper = read.upperBound
        asked = read.upperBound
    }

    /// Whether it holds a share of the memory.
    var isRunning: Bool { width > 0 }

    /// Whether the read begins where the last one ended, as far as overtaking lets tell.
    func isNext(_ read: ByteRange) -> Bool {
        let count = Int64(read.count)
        return direction == .backward
            ? abs(read.upperBound - lower) < count : abs(read.lowerBound - upper) < count
    }

    /// Whether the read may belong to this stream.
    func isContinued(by read: ByteRange) -> Bool {
        let slack = max(Self.slack, Int64(read.count))
        switch direction {
        case .backward: return read.lowerBound <= lower + slack && read.upperBound >= lower - slack
        case .unknown, .forward: return read.lowerBound <= upper + slack && read.upperBound + slack >= upper
        }
    }

    /// Takes one more read, and says what to ask for; `share` is the widest that the window may be.
    mutating func advance(_ read: ByteRange, size: Int64, share: Int64, _ limits: ReadWindow.Limits) -> ReadAdvice {
        note(read)
        return direction == .backward ? backward(read, share, limits) : forward(read, size, share, limits)
    }

    private mutating func note(_ read: ByteRange) {
        if read.upperBound <= lower, read.upperBound + Self.slack >= lower {
            stepsBack += 1
        } else if read.upperBound > upper {
            stepsBack = 0
            if direction == .backward { turn(.forward, at: read) }
        }
        if direction != .backward {
            if stepsBack >= Self.backwardSteps {
                turn(.backward, at: read)
            } else if read.upperBound > upper {
                direction = .forward
            }
        }
        lower = min(lower, read.lowerBound)
        upper = max(upper, read.upperBound)
    }

    private mutating func turn(_ direction: Direction, at read: ByteRange) {
        self.direction = direction
        lower = read.lowerBound
        upper = read.upperBound
        asked = direction == .backward ? lower : upper
        width = 0
        stepsBack = 0
    }

    private mutating func forward(
        _ read: ByteRange, _ size: Int64, _ share: Int64, _ limits: ReadWindow.Limits
    ) -> ReadAdvice {
        // The next step is taken when a quarter of the last one has been asked for, before its bytes are missed.
        if upper + width / 4 * 3 >= asked { width = grown(share, limits) }
        width = min(width, max(share, limits.block))
        let piece = piece(share, limits)
        // Whole pieces, asked for one by one as the reader goes: few requests, and always as much ahead.
        let target = upper + width
        if target >= asked + piece || asked <= upper {
            asked = min(max((target + piece - 1) / piece * piece, asked), size)
        }
        return ReadAdvice(
            [read.lowerBound..<max(read.upperBound, asked)], piece: piece, isStreamed: true)
    }

    private mutating func backward(_ read: ByteRange, _ share: Int64, _ limits: ReadWindow.Limits) -> ReadAdvice {
        if lower - width / 4 * 3 <= asked { width = grown(share, limits) }
        width = min(width, max(share, limits.block))
        let piece = piece(share, limits)
        let target = lower - width
        if target <= asked - piece || asked >= lower {
            asked = max(min(target / piece * piece, asked), 0)
        }
        return ReadAdvice([read] + (asked < lower ? [asked..<lower] : []), piece: piece, isStreamed: true)
    }

    private func grown(_ share: Int64, _ limits: ReadWindow.Limits) -> Int64 {
        min(max(width * Self.growth, limits.first), max(share, limits.block))
    }

    /// The largest request: a quarter of the window, so that one that ends makes room for the next; larger where that
    /// leaves few requests in flight for a while, as while the window grows.
    private func piece(_ share: Int64, _ limits: ReadWindow.Limits) -> Int64 {
        let least = min(2 * limits.first, width < share ? width : width / 2)
        let wanted = max(width / 4, least) / limits.block * limits.block
        return min(max(wanted, limits.block), limits.piece)
    }
}
