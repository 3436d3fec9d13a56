import Runtime

/// What a client must know of its bucket and its limits; checked when made.
package struct OSSClientConfiguration: Sendable {
    package let endpoint: Endpoint
    /// Without `oss-` before it; nil where neither the user nor the endpoint tells it.
    package let region: String?
    package let bucket: String
    package let addressing: Addressing
    package let signature: SignatureVersion
    /// Sent as `User-Agent`.
    package var userAgent: String
    /// What `probe` lists under, for credentials that may list only a part of the bucket.
    package var probePrefix: [UInt8] = []
    package var retry = RetryPolicy()
    package var timeouts = RequestTimeouts()
    package var concurrency = ConcurrencyPolicy()

    /// - Parameters:
    ///   - endpoint: a URL or a host; https unless it says http.
    ///   - region: nil reads it off the endpoint; signature version 4 needs one.
    /// - Throws: `EndpointError` with words for the user.
    package init(
        endpoint: String, region: String? = nil, bucket: String, addressing: Addressing = .automatic,
        signature: SignatureVersion = .automatic, userAgent: String = "ossmount"
    ) throws(EndpointError) {
        self.endpoint = try Endpoint(endpoint)
        let name = region ?? self.endpoint.region
        guard name != nil || signature != .v4 else {
            throw EndpointError(
                message: "signature version 4 needs the region, which the endpoint doesn't tell; give it, as in "
                    + "region=cn-hangzhou")
        }
        self.region = try name.map(Self.regionName)
        guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isLabelByte),
            !bucket.hasPrefix("-"), !bucket.hasSuffix("-")
        else {
            throw EndpointError(
                message: "a bucket's name has 3 to 63 lower-case letters, digits and hyphens, none at its ends")
        }
        self.bucket = bucket
        self.addressing = addressing
        self.signature = signature
        self.userAgent = userAgent
    }

    private static func regionName(_ given: String) throws(EndpointError) -> String {
        // The service's own listings write the region as oss-cn-hangzhou.
        let name = given.hasPrefix("oss-") ? String(given.dropFirst(4)) : given
        guard !name.isEmpty, name.utf8.allSatisfy(isLabelByte) else {
            throw EndpointError(message: "a region holds lower-case letters, digits and hyphens alone")
        }
        return name
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
}

/// How repeats are spaced. Each wait is drawn between nothing and a bound that doubles (full jitter), so that many
/// clients that failed together don't come back together.
package struct RetryPolicy: Sendable {
    /// After a broken connection or a server's fault: short, as most pass at once.
    package var failureBase = Duration.milliseconds(100)
    package var failureCap = Duration.seconds(10)
    /// After the server asked to slow down: OSS counts its limits by the second.
    package var throttledBase = Duration.seconds(1)
    package var throttledCap = Duration.seconds(20)
    /// Repeats of what a repeat seldom mends (an unknown answer, a wrong checksum, untrusted TLS).
    package var doubtfulRepeats = 2

    package init() {}
}

/// What bounds one attempt, so that a server that hangs doesn't eat the call's whole time.
package struct RequestTimeouts: Sendable {
    /// For the answer to a request without a body: the service answers within a second, but for listings under load.
    package var answer = Duration.seconds(30)
    /// For a copy or completion, which the service answers when it is done.
    package var copy = Duration.seconds(120)
    /// How fast the service copies at least: a tenth of what it does as a rule, so that 5 GiB have 11 minutes more.
    package var minimumCopiedBytesPerSecond: Int64 = 8 << 20
    /// What a body may take besides: slower than this many bytes per second isn't worth to go on with.
    package var minimumBytesPerSecond: Int64 = 64 * 1024

    package init() {}

    /// Times for a server that is given up on after `silence`, in the relations of the defaults, which are for 20 s.
    package init(silence: Duration) {
        answer = silence * 3 / 2
        copy = silence * 6
    }
}
