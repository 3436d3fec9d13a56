import ObjectStore

/// What the command ends with; scripts and units depend on these numbers, so none is ever given another meaning.
enum ExitCode: Int32, Sendable, CaseIterable {
    /// Mounted, unmounted, or told what was asked.
    case success = 0
    /// Anything that has no number of its own.
    case failure = 1
    /// The arguments, the config file, or a file that they name.
    case usage = 2
    /// Credentials are missing, or the server refuses them.
    case credentials = 3
    /// No such bucket, or it is not served at this endpoint or in this region.
    case bucket = 4
    /// The server can't be reached, or does not answer well within `start-timeout`.
    case unreachable = 5
    /// The mount point is missing, not empty, already mounted, or stale.
    case mountPoint = 6
    /// FUSE is not usable here.
    case fuse = 7
    /// The server refuses our date, even after correction.
    case date = 8

    /// What a failed probe of the bucket ends with.
    init(probe kind: ObjectStoreErrorKind) {
        switch kind {
        case .invalidCredentials, .accessDenied, .forbidden: self = .credentials
        // An endpoint that has no such path at all is as wrong as one that has no such bucket.
        case .noSuchBucket, .notFound: self = .bucket
        case .clockSkewed: self = .date
        case .throttled, .unavailable: self = .unreachable
        // Something answers there that isn't an object store, or not one that we know.
        case .unexpected, .unsupported: self = .bucket
        case .noSuchUpload, .alreadyExists, .preconditionFailed, .invalidRange, .archived, .invalidRequest, .tooLarge,
            .corrupted,
            .cancelled:
            self = .failure
        }
    }
}

/// Why the command ends: the number, what failed and why, and what to do about it.
struct CommandError: Error, Sendable {
    let code: ExitCode
    /// What failed, and why; no capital letter, no full stop, never a secret.
    let message: String
    /// What to do; empty where the message says it.
    let remedy: String

    init(_ code: ExitCode, _ message: String, remedy: String = "") {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    /// Both, as the user reads them.
    var text: String { remedy.isEmpty ? message : message + "\n  " + remedy }
}
