import Glibc

/// An errno as an error.
struct SystemCallError: Error { let number: Int32 }

/// Small whole files: configurations, tables of /proc.
enum FileBytes {
    /// The bytes of the file at `path`, at most `limit` (EFBIG beyond).
    static func read(_ path: [UInt8], limit: Int) -> Result<[UInt8], SystemCallError> {
        let descriptor = withPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return .failure(SystemCallError(number: errno)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return .failure(SystemCallError(number: errno)) }
            if count == 0 { return .success(bytes) }
            bytes += chunk[..<count]
            if bytes.count > limit { return .failure(SystemCallError(number: EFBIG)) }
        }
    }

    static func read(_ path: String, limit: Int) -> Result<[UInt8], SystemCallError> {
        read(Array(path.utf8), limit: limit)
    }
}

/// Calls `body` with `path` as C wants it; the pointer dies with the call.
func withPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    return terminated.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return body("") }
        return body(base)
    }
}
