import Credentials
import HTTPTransport
import Instrumentation
import ObjectStore
import Runtime

// OSSClient: a bucket of Alibaba Cloud OSS as an `ObjectStore`.
//
// Parts: `OSSClientConfiguration` with `Endpoint` and `Addressing`, where the bucket is; `Signing/`, pure functions from
// a request and credentials to its headers; `Replies/`, what answers mean (`ErrorTable` decides kind and repeat, once);
// `Retry/`, the plan of repeats and the loop that follows it; `OSSClient+Objects`, `+Get`, `+Put`, `+Listing`, the calls,
// and a file for each further family of the contract; `Multipart/`, those for objects sent in parts; `+Presign`, URLs
// for others.
//
// How a call goes: it describes its request (`OSSRequest`), and `repeating` makes attempts until one gives a value, the
// plan gives up, the deadline passes, or the caller cancels. Each attempt asks for credentials, signs anew by the
// corrected clock, and sends with a bound of its own, once the `RequestGate` lets it: a server that throttles gets fewer
// requests at a time, for as long as it does. What an attempt throws (`AttemptFailure`) carries the error that
// the caller would see, what a repeat can do, and whether the request may have taken effect.
//
// Invariants. An object is absent only where OSS said so: a missing bucket, an outage, a proxy's 404 are other kinds.
// Bytes of a get are of one version, whose ETag the first answer gave; ranges, lengths and the CRC-64 of whole objects
// are checked against what was asked. Puts, parts and completed uploads are compared with the server's CRC-64. Puts,
// parts, copies, deletes and completions may be repeated; a refusal that an own earlier attempt may have caused is
// settled by HEAD, never taken for somebody else's. An append is repeated only once a HEAD has shown that it was not
// done.
// Redirects are never followed, as they would take the signature elsewhere. No secret, query or header is logged.
//
// Not here: policy about files, caching, parallel ranges (Transfer's), TLS and connections (HTTPTransport's).
//
// Failure: after the repeats an `ObjectStoreError` whose message says what happened and where possible what to do.

/// One bucket through OSS's own interface.
package final class OSSClient: ObjectStore {
    let configuration: OSSClientConfiguration
    let location: BucketLocation
    let transport: any HTTPExchanging
    let provider: any CredentialsProvider
    let log: Log
    let clock: any Instrumentation.Clock
    let pausing: any Pausing
    let signer: any RequestSigner
    /// What was sent so far.
    package let counters = RequestCounters()
    /// Bounds the requests in flight once the server throttles.
    let gate: RequestGate
    /// What time it is there, as refused dates have taught.
    let serverClock: ServerClock

    /// Does nothing on the network; `probe` does.
    ///
    /// - Parameter serverClock: shared with the credentials, whose expiry is a time of the server's; nil makes one.
    package init(
        configuration: OSSClientConfiguration, transport: any HTTPExchanging, credentials: any CredentialsProvider,
        log: Log, clock: any Instrumentation.Clock = SystemClock(), pausing: any Pausing = SystemPausing(),
        serverClock: ServerClock? = nil
    ) {
        self.configuration = configuration
        self.transport = transport
        self.provider = credentials
        self.log = log
        self.clock = clock
        self.pausing = pausing
        self.serverClock = serverClock ?? ServerClock(clock)
        location = BucketLocation(
            endpoint: configuration.endpoint, bucket: configuration.bucket, addressing: configuration.addressing)
        signer = configuration.makeSigner()
        gate = RequestGate(configuration.concurrency)
    }

    package var capabilities: StoreCapabilities {
        // https://www.alibabacloud.com/help/en/oss/product-overview/limits: keys of 1023 bytes, 8 KB of metadata, 5 GB
        // for PutObject, for what appends make, and for each of 10,000 parts of at least 100 KB; a copy inside one bucket and
        // class has the limit of objects themselves, 48.8 TB.
        StoreCapabilities(
            maximumKeyBytes: 1023, maximumMetadataBytes: 8 * 1024, maximumPutBytes: 5 << 30,
            maximumCopyBytes: 48_800_000_000_000, hasExclusiveCreate: true, hasCRC64: true,
            minimumPartBytes: 100 << 10, maximumPartBytes: 5 << 30, maximumParts: 10_000,
            maximumObjectBytes: 48_800_000_000_000, hasPartCopy: true,
            features: [.append, .links, .tags, .acl, .restore, .versions, .processing, .reports],
            maximumAppendedBytes: 5 << 30)
    }
}
