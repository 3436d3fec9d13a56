import ObjectStore

extension CommandError {
    /// Why the bucket can't be used, in the server's words, and what to look at.
    init(probe error: ObjectStoreError) {
        let id = error.requestID.isEmpty ? "" : " (request \(error.requestID))"
        // The message begins with the server's code.
        self.init(
            ExitCode(probe: error.kind), "the bucket can't be used: \(error.message)\(id)",
            remedy: Self.remedy(for: error))
    }

    private static func remedy(for error: ObjectStoreError) -> String {
        switch error.kind {
        case .noSuchBucket:
            return "check the bucket's name, and that --endpoint and --region are the bucket's own"
        case .invalidCredentials:
            return "check the key's id and secret, and for temporary keys the token"
        case .accessDenied:
            return "these keys may not list the bucket: they need oss:ListObjects, oss:GetObject, oss:PutObject, "
                + "oss:DeleteObject"
        case .forbidden:
            return "the account or the bucket is disabled or in debt: the service's console tells which"
        case .clockSkewed:
            return "set this machine's clock, for example by NTP"
        case .notFound, .unexpected, .unsupported:
            return "what answers at --endpoint doesn't speak OSS"
        case .unavailable where error.message.contains("wrong version number"):
            return "does --endpoint speak plain HTTP? write http:// before it; without a scheme it is https"
        case .unavailable where error.message.contains("Empty reply from server"):
            return "if that server speaks TLS, write https:// before --endpoint"
        // It tells by itself what mends it.
        case .unavailable where error.message.hasPrefix("The certificate of "): return ""
        case .unavailable:
            return "check --endpoint and the network; --start-timeout says how long to try"
        case .throttled:
            return "the service asks to slow down; try again later"
        case .noSuchUpload, .alreadyExists, .preconditionFailed, .invalidRange, .archived, .invalidRequest, .tooLarge,
            .corrupted,
            .cancelled:
            return ""
        }
    }
}
