/// What went wrong, as far as a file system needs to tell apart.
package enum ObjectStoreErrorKind: Sendable, Hashable, CaseIterable {
    /// The server says that the object is not there.
    case notFound
    /// The server says that the bucket is not there, or that it is not served at this endpoint.
    case noSuchBucket
    /// The server doesn't know the upload: completed, aborted or expired; it must be begun anew.
    case noSuchUpload
    /// Forbid-overwrite met an object.
    case alreadyExists
    /// The object is another version than the one asked for.
    case preconditionFailed
    /// These credentials are known, and may not.
    case accessDenied
    /// Nobody may: the account or the bucket is disabled or in debt, or the object must not change yet.
    case forbidden
    /// These credentials are unknown, expired or wrong.
    case invalidCredentials
    /// The request's date is refused.
    case clockSkewed
    /// Asked to slow down, until the deadline.
    case throttled
    /// The server failed or could not be reached, until the deadline.
    case unavailable
    /// The range starts at or past the object's end.
    case invalidRange
    /// The service holds the object in an archive.
    case archived
    /// The server refuses the request as such: a fault of this program or a limit of the service.
    case invalidRequest
    /// Larger than the service takes.
    case tooLarge
    /// Bytes differ from their checksum or length, also after repeats.
    case corrupted
    /// The service can't do this.
    case unsupported
    /// The caller's cancellation was set.
    case cancelled
    /// An answer that makes no sense.
    case unexpected
}

/// The failure of one call, after all repeats.
package struct ObjectStoreError: Error, Sendable {
    package var kind: ObjectStoreErrorKind
    /// The service's name of the call, `PutObject`.
    package var operation: StaticString
    /// The key, where the call had one.
    package var key: ObjectKey?
    /// HTTP status; nil where no answer came.
    package var status: Int?
    /// The service's error code, `NoSuchKey`; empty where it sent none.
    package var code: String
    /// The service's request id, to quote to its support; empty where it sent none.
    package var requestID: String
    /// The service's fine-grained code; empty where it sent none.
    package var ec: String
    /// What happened, and where possible what to do; never a secret.
    package var message: String
    /// Whether the same call may succeed later.
    package let isRetryable: Bool
    /// The length of the object that an append found, where the server told it.
    package var appendPosition: Int64?
    /// The delete marker that stands in the object's place, where the server told of one.
    package var deleteMarker: VersionID?

    package init(
        kind: ObjectStoreErrorKind, operation: StaticString, key: ObjectKey? = nil, status: Int? = nil,
        code: String = "", requestID: String = "", ec: String = "", message: String, isRetryable: Bool
    ) {
        self.kind = kind
        self.operation = operation
        self.key = key
        self.status = status
        self.code = code
        self.requestID = requestID
        self.ec = ec
        self.message = message
        self.isRetryable = isRetryable
    }
}
