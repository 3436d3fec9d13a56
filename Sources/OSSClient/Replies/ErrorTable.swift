import ObjectStore

/// What a repeat of a failed request can do.
enum Repetition: Sendable, Hashable, CaseIterable {
    /// Nothing: the answer stands.
    case never
    /// Mend it, but only one of the whole call: bytes that were handed on can't be taken back.
    case byCaller
    /// Mend it, soon.
    case backoff
    /// Mend it, once the server has had a rest.
    case throttled
    /// Mend it now and then: a few times.
    case doubtful
    /// Mend it once the client's clock is corrected.
    case afterClockCorrection
    /// Mend it with other credentials.
    case afterRefresh

    /// Whether the same call may succeed later, once the repeats of now are used up.
    var mayHelpLater: Bool {
        switch self {
        case .byCaller, .backoff, .throttled, .doubtful: true
        case .never, .afterClockCorrection, .afterRefresh: false
        }
    }
}

/// What an error answer means: decided here, once, and nowhere else.
struct Verdict: Sendable, Hashable {
    var kind: ObjectStoreErrorKind
    var repetition: Repetition

    private init(_ kind: ObjectStoreErrorKind, _ repetition: Repetition = .never) {
        self.kind = kind
        self.repetition = repetition
    }

    /// The meaning of an answer. Codes go before the status, as several meanings share one.
    init(_ response: ErrorResponse) {
        if response.saysWrongEndpoint || response.saysWrongRegion {
            self.init(.noSuchBucket)
        } else if response.saysInvalidDate {
            self.init(.clockSkewed, .afterClockCorrection)
        } else if response.status == 403, response.namesBadToken {
            // Whatever the code: how it is spelled for a token that has expired is told nowhere; it may be AccessDenied.
            self.init(.invalidCredentials, .afterRefresh)
        } else if let known = Self.codes[response.code] {
            self = known
        } else if response.code.hasSuffix("LimitExceeded"), response.status >= 429 {
            // The services' list of limits grows; all are named like this.
            self.init(.throttled, .throttled)
        } else {
            self = Self.byStatus(response)
        }
    }

    /// https://www.alibabacloud.com/help/en/oss/developer-reference/http-status-codes and its pages for each status.
    static let codes: [String: Verdict] = [
        "NoSuchKey": Verdict(.notFound),
        "NoSuchVersion": Verdict(.notFound),
        "NoSuchUpload": Verdict(.noSuchUpload),
        "SymlinkTargetNotExist": Verdict(.notFound),
        "NoSuchBucket": Verdict(.noSuchBucket),
        "InvalidBucketName": Verdict(.noSuchBucket),
        "SecondLevelDomainForbidden": Verdict(.noSuchBucket),
        "PermanentRedirect": Verdict(.noSuchBucket),
        "TemporaryRedirect": Verdict(.noSuchBucket),
        "FileAlreadyExists": Verdict(.alreadyExists),
        "ObjectAlreadyExists": Verdict(.alreadyExists),
        "PreconditionFailed": Verdict(.preconditionFailed),
        "NotModified": Verdict(.preconditionFailed),
        "PositionNotEqualToLength": Verdict(.preconditionFailed),
        "AccessDenied": Verdict(.accessDenied),
        "InDebt": Verdict(.forbidden),
        "InDebtOverdue": Verdict(.forbidden),
        "UserDisable": Verdict(.forbidden),
        "BucketDisable": Verdict(.forbidden),
        "FileImmutable": Verdict(.forbidden),
        // The key that encrypts the bucket has been disabled.
        "KeyDisabled": Verdict(.forbidden),
        // Of a key pair that was replaced meanwhile the old secret; other secrets are got only where there are any.
        "SignatureDoesNotMatch": Verdict(.invalidCredentials, .afterRefresh),
        // A temporary key that has expired is sometimes simply unknown.
        "InvalidAccessKeyId": Verdict(.invalidCredentials, .afterRefresh),
        "InvalidSecurityToken": Verdict(.invalidCredentials, .afterRefresh),
        "SecurityTokenExpired": Verdict(.invalidCredentials, .afterRefresh),
        "AccessKeyIdAndSecurityTokenNotMatch": Verdict(.invalidCredentials, .afterRefresh),
        "RequestTimeTooSkewed": Verdict(.clockSkewed, .afterClockCorrection),
        "InvalidObjectState": Verdict(.archived),
        "RestoreAlreadyInProgress": Verdict(.archived),
        "InvalidRange": Verdict(.invalidRange),
        "EntityTooLarge": Verdict(.tooLarge),
        "InvalidDigest": Verdict(.corrupted, .doubtful),
        "NotImplemented": Verdict(.unsupported),
        "OperationNotSupported": Verdict(.unsupported),
        "ObjectNotAppendable": Verdict(.unsupported),
        "InvalidArgument": Verdict(.invalidRequest),
        "InvalidRequest": Verdict(.invalidRequest),
        "InvalidObjectName": Verdict(.invalidRequest),
        "MalformedXML": Verdict(.invalidRequest),
        "InvalidPart": Verdict(.invalidRequest),
        "InvalidPartOrder": Verdict(.invalidRequest),
        "EntityTooSmall": Verdict(.invalidRequest),
        "InvalidTargetType": Verdict(.invalidRequest),
        "NotSymlink": Verdict(.invalidRequest),
        "InvalidEncryptionRequest": Verdict(.invalidRequest),
        "FilePartNotExist": Verdict(.invalidRequest),
        "FilePartStale": Verdict(.invalidRequest),
        "PartNotSequential": Verdict(.invalidRequest),
        "MethodNotAllowed": Verdict(.invalidRequest),
        // We always send one: something between has lost it, which no argument of a caller mends.
        "MissingContentLength": Verdict(.unexpected),
        // The official SDKs repeat it.
        "BadRequest": Verdict(.invalidRequest, .doubtful),
        "RequestTimeout": Verdict(.unavailable, .backoff),
        "InternalError": Verdict(.unavailable, .backoff),
        "ServiceUnavailable": Verdict(.unavailable, .throttled),
        "SlowDown": Verdict(.throttled, .throttled),
    ]

    private static func byStatus(_ response: ErrorResponse) -> Verdict {
        switch response.status {
        case 301, 302, 307, 308: Verdict(.noSuchBucket)
        case 304, 412: Verdict(.preconditionFailed)
        case 400, 405: Verdict(.invalidRequest)
        case 401: Verdict(.invalidCredentials, .doubtful)
        case 403: Verdict(.accessDenied)
        // Without a code only OSS's own answer, known by its request id, may say that an object is absent.
        case 404 where response.code.isEmpty && !response.requestID.isEmpty && response.hasKey: Verdict(.notFound)
        case 404: Verdict(.unexpected, .doubtful)
        case 408: Verdict(.unavailable, .backoff)
        case 411: Verdict(.unexpected)
        case 413: Verdict(.tooLarge)
        case 416: Verdict(.invalidRange)
        case 429: Verdict(.throttled, .throttled)
        case 501: Verdict(.unsupported)
        case 503: Verdict(.unavailable, .throttled)
        case 500...599: Verdict(.unavailable, .backoff)
        default: Verdict(.unexpected, .doubtful)
        }
    }
}
