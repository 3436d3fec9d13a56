/// Makes a reply's head of its lines; pure, so that tests need no network.
struct HeadReader {
    enum Event {
        case more
        case head(HTTPResponseHead)
        case malformed
    }

    /// 64 KiB for all lines of an answer together, interim ones and trailers included: eight times what OSS allows for
    /// user metadata, and a bound on what a broken server can make us keep.
    static let limitBytes = 64 * 1024

    /// Of all lines so far.
    private(set) var takenBytes = 0
    private var head: HTTPResponseHead?
    /// Whether the last line was dropped, and what goes on with it is as well.
    private var dropsFolded = false
    private(set) var isComplete = false

    /// Takes one line with its line end. After the head's blank line further lines are trailers, counted and dropped.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
        takenBytes += line.count
        guard takenBytes <= Self.limitBytes else { return .malformed }
        if isComplete { return .more }
        let text = line[..<(line.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { $0 + 1 } ?? 0)]
        guard var current = head else {
            guard let status = Self.status(of: text) else { return .malformed }
            head = HTTPResponseHead(status: status, headers: [])
            return .more
        }
        if text.isEmpty {
            if (100...199).contains(current.status) {
                head = nil
                return .more
            }
            isComplete = true
            return .head(current)
        }
        head = nil
        add(text, to: &current.headers)
        head = current
        return .more
    }

    /// `HTTP/1.x NNN`, with or without a reason.
    private static func status(of line: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8) else { return nil }
        let bytes = Array(line.prefix(13))
        guard bytes[8] == 0x20, bytes.count == 12 || bytes[12] == 0x20 else { return nil }
        let digits = bytes[9..<12]
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return status >= 100 ? status : nil
    }

    /// Adds a field; a folded line (RFC 9112 5.2) goes on with the one before; a line of no field's form is dropped.
    private mutating func add(_ line: Slice<UnsafeRawBufferPointer>, to headers: inout [HTTPHeader]) {
        if let first = line.first, HTTPSyntax.isBlank(first) {
            guard !dropsFolded, let last = headers.indices.last else { return }
            let more = Self.trimmed(line)
            if more.isEmpty { return }
            headers[last].value += (headers[last].value.isEmpty ? [] : [0x20]) + more
            return
        }
        dropsFolded = true
        guard let colon = line.firstIndex(of: 0x3A) else { return }
        let name = line[..<colon]
        guard HTTPSyntax.isToken(name), let text = String(validating: name, as: UTF8.self) else { return }
        headers.append(HTTPHeader(text, Self.trimmed(line[(colon + 1)...])))
        dropsFolded = false
    }

    /// Without blanks around it; a CR or NUL inside becomes one (RFC 9110 5.5), as no request could carry it back.
    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        let visible = text.map { $0 == 0 || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        let start = visible.drop(while: HTTPSyntax.isBlank)
        guard let end = start.lastIndex(where: { !HTTPSyntax.isBlank($0) }) else { return [] }
        return Array(start[...end])
    }
}
