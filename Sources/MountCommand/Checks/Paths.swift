import Glibc

/// Paths without links and dots.
enum Paths {
    /// realpath(3).
    static func real(_ path: [UInt8]) -> Result<[UInt8], SystemCallError> {
        let resolved = withPath(path) { realpath($0, nil) }
        guard let resolved else { return .failure(SystemCallError(number: errno)) }
        defer { free(resolved) }
        return .success(bytes(of: resolved))
    }

    /// `path` from the root on; links and dots stay.
    static func absolute(_ path: [UInt8]) throws(CommandError) -> [UInt8] {
        if path.first == UInt8(ascii: "/") { return path }
        guard let folder = getcwd(nil, 0) else {
            throw CommandError(.failure, "the current folder has no path: \(SystemError.text(errno))")
        }
        defer { free(folder) }
        return bytes(of: folder) + [UInt8(ascii: "/")] + path
    }

    /// The path with its folder resolved and its last segment as it stands, so that what is mounted there isn't
    /// asked: the process behind it may be dead.
    static func realKeepingLast(_ path: [UInt8]) -> Result<[UInt8], SystemCallError> {
        let slash = UInt8(ascii: "/")
        var path = path
        while path.count > 1, path.last == slash { path.removeLast() }
        let last = path.suffix(while: { $0 != slash })
        let isPlain = !last.isEmpty && !last.elementsEqual(".".utf8) && !last.elementsEqual("..".utf8)
        guard isPlain else { return real(path) }
        let folder = path.dropLast(last.count)
        return real(folder.isEmpty ? Array(".".utf8) : Array(folder)).map { folder in
            folder == [slash] ? [slash] + last : folder + [slash] + last
        }
    }

    private static func bytes(of string: UnsafePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: string, count: strlen(string)).map { UInt8(bitPattern: $0) }
    }
}

extension Array where Element == UInt8 {
    /// The longest end whose bytes all satisfy `belongs`.
    fileprivate func suffix(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        suffix(from: (lastIndex { !belongs($0) } ?? -1) + 1)
    }
}
