import Glibc
import Instrumentation
import ObjectStore

extension FileSystemError {
    /// The errno for a store's failure, and what the log should say.
    init(_ error: ObjectStoreError) {
        self.init(Self.errno(for: error.kind), error.summary, level: Self.level(for: error.kind))
    }

    private static func errno(for kind: ObjectStoreErrorKind) -> Int32 {
        switch kind {
        case .notFound: ENOENT
        // The bucket is gone while mounted: not an absent file.
        case .noSuchBucket: EIO
        // The service has dropped what was sent so far: the file's bytes are at stake, not its name.
        case .noSuchUpload: EIO
        case .alreadyExists: EEXIST
        // Another version than the one that was opened: open(2) then looks the name up again.
        case .preconditionFailed: ESTALE
        case .accessDenied, .invalidCredentials: EACCES
        // As of a file that is marked immutable: other rights of this user would not help.
        case .forbidden: EPERM
        case .clockSkewed: EIO
        // Out of patience, not absent.
        case .throttled, .unavailable: EIO
        // A range past the end of what was opened means that it has shrunk.
        case .invalidRange: ESTALE
        // Must be restored first; EIO would say that the data is damaged.
        case .archived: EPERM
        case .invalidRequest: EINVAL
        case .tooLarge: EFBIG
        case .corrupted, .unexpected: EIO
        case .unsupported: EOPNOTSUPP
        case .cancelled: EINTR
        }
    }

    private static func level(for kind: ObjectStoreErrorKind) -> LogLevel {
        switch kind {
        case .notFound, .alreadyExists, .cancelled, .preconditionFailed, .invalidRange: .debug
        case .accessDenied, .forbidden, .invalidCredentials, .clockSkewed, .throttled, .unavailable, .archived,
            .unsupported, .noSuchBucket, .noSuchUpload, .tooLarge, .invalidRequest:
            .warning
        case .corrupted, .unexpected: .error
        }
    }
}

extension ObjectStoreError {
    /// One line for the log: the call, what the server said (its code first), the request id.
    var summary: String {
        var parts = ["\(operation) failed: \(message)"]
        if let status { parts.append("status \(status)") }
        if !ec.isEmpty { parts.append("EC \(ec)") }
        if !requestID.isEmpty { parts.append("request id \(requestID)") }
        return parts.joined(separator: ", ")
    }
}
