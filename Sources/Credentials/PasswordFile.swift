import Glibc
import Runtime

/// Small files that hold secrets, and so must be their owner's alone.
package enum PrivateFile {
    /// 1 MiB: thousands of times what secrets need; more is some other file.
    private static let maximumBytes = 1 << 20

    /// The bytes of the file at `path`, which is root's or this user's, and neither readable nor writable by group and
    /// others. Messages name the file as `role`; they never hold its content.
    package static func read(_ path: [UInt8], role: String) throws(CredentialsError) -> [UInt8] {
        let name = "the \(role) \(printable(path))"
        let descriptor = (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // Non-blocking: a pipe of that name must not stop the mount.
            buffer.baseAddress.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
        }
        guard descriptor >= 0 else {
            let kind: CredentialsError.Kind = errno == ENOENT || errno == EACCES ? .missing : .unavailable
            throw CredentialsError(kind: kind, message: "\(name) can't be opened: \(systemText(errno))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialsError(kind: .malformed, message: "\(name) is no regular file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CredentialsError(
                kind: .malformed,
                message: "\(name) is open to group or others; take their rights away: chmod 600 \(printable(path))")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw CredentialsError(kind: .malformed, message: "\(name) belongs to another user")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw CredentialsError(kind: .unavailable, message: "\(name) can't be read: \(systemText(errno))")
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= maximumBytes else {
                throw CredentialsError(kind: .malformed, message: "\(name) is larger than 1 MiB")
            }
        }
    }

    /// Its lines with their numbers, without blanks around them, comments (`#`) and empty lines.
    static func lines(of bytes: [UInt8]) -> [(number: Int, text: [UInt8])] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .map { (number: $0.offset + 1, text: withoutBlanks($0.element)) }
            .filter { !$0.text.isEmpty && $0.text.first != UInt8(ascii: "#") }
    }

    static func withoutBlanks(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        return Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

/// Credentials of a file in the form of ossfs: lines `[BUCKET:]ID:SECRET`, comments with `#`.
///
/// The bucket's own line counts before the one without a bucket. The file is read again when the server has refused what
/// it said, so that a replaced key needs no new mount.
package final class PasswordFileProvider: CredentialsProvider {
    private let path: [UInt8]
    private let bucket: [UInt8]
    // Guards what the file said last; a leaf lock.
    private let last: Locked<Result<Credentials, CredentialsError>>

    /// Reads the file at once; what is wrong with it is told when credentials are asked for.
    ///
    /// - Parameter path: from the root on, as a daemon leaves its folder.
    package init(path: [UInt8], bucket: String) {
        self.path = path
        self.bucket = Array(bucket.utf8)
        last = Locked(Self.load(path, Array(bucket.utf8)))
    }

    package func credentials(
        deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials {
        try last.withLock { $0 }.get()
    }

    package func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials? {
        // Not under the lock: a file may lie on a slow disk.
        let present = Self.load(path, bucket)
        let credentials = try present.get()
        last.withLock { $0 = present }
        return credentials == rejected ? nil : credentials
    }

    private static func load(_ path: [UInt8], _ bucket: [UInt8]) -> Result<Credentials, CredentialsError> {
        do throws(CredentialsError) {
            return .success(try parse(PrivateFile.read(path, role: "password file"), named: path, bucket: bucket))
        } catch {
            return .failure(error)
        }
    }

    /// The credentials for `bucket` in such a file; errors name the line and nothing of what is in it.
    package static func parse(
        _ bytes: [UInt8], named path: [UInt8], bucket: [UInt8]
    ) throws(CredentialsError) -> Credentials {
        let name = "the password file \(printable(path))"
        var ours: [(number: Int, fields: ArraySlice<ArraySlice<UInt8>>)] = []
        var general = ours
        for line in PrivateFile.lines(of: bytes) {
            let fields = line.text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            switch fields.count {
            case 2: general.append((line.number, fields[...]))
            case 3 where PrivateFile.withoutBlanks(fields[0]) == bucket: ours.append((line.number, fields[1...]))
            case 3: break
            default:
                throw CredentialsError(
                    kind: .malformed, message: "line \(line.number) of \(name) is not [BUCKET:]ID:SECRET")
            }
        }
        let candidates = ours.isEmpty ? general : ours
        guard let chosen = candidates.first else {
            throw CredentialsError(
                kind: .missing, message: "\(name) has a line neither for this bucket nor for all of them")
        }
        guard candidates.count == 1 else {
            throw CredentialsError(
                kind: .malformed,
                message: "\(name) has two lines for the same: \(chosen.number) and \(candidates[1].number)")
        }
        let fields = chosen.fields.map { PrivateFile.withoutBlanks($0) }
        do throws(CredentialsError) {
            return try Credentials(accessKeyID: fields[0], accessKeySecret: fields[1])
        } catch {
            throw CredentialsError(kind: .malformed, message: "line \(chosen.number) of \(name): \(error.message)")
        }
    }
}
