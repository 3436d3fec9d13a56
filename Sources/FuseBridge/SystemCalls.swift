import Glibc

// Small files and paths of the system (/proc, /sys, /etc), read and written without Foundation.

/// The words of strerror_r(3) for `errno`.
func describe(errno: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(errno, &text, text.count) == 0 else { return "error \(errno)" }
    return words(text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
}

/// The system's own words and numbers as text; never for a name.
func words(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// Up to 1 MiB of a file of the system, or nil where it can't be read.
func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    let limit = 1 << 20
    // Zeroing an array's end for each read costs more than the read: /proc is read for each caller that waits.
    let isRead = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { space in
        while bytes.count < limit {
            let count = Glibc.read(descriptor, space.baseAddress, space.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return count == 0 }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: space[..<count]))
        }
        return true
    }
    guard isRead else { return nil }
    return bytes
}

/// The path as C wants it.
func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
