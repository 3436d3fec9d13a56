import Runtime

/// What the operations work with.
struct Service: Sendable {
    let folder: ObjectFolder
    let region: Bytes
    var limits = ServerLimits()
    var answers = ServiceAnswers()
    /// Buckets of other regions, each with the endpoint that serves it.
    var elsewhere: [Bytes: Bytes] = [:]
    var isHierarchical = false
    let tokens: TokenIssuer
    var auth = AuthServer.Options()
    let clock = ServerClock()
    let statistics = KeptStatistics()
    let nonces = Nonces()
}

extension Service {
    /// Says which version a reply is of, where the bucket has versions.
    func name(_ object: StoredObject, of bucket: Bytes, in headers: inout Fields) {
        guard folder.versioning(bucket) != .off else { return }
        headers.append("x-oss-version-id", object.versionLabel)
    }
}

/// The server's clock, which tests shift to see what a wrong one does. Safe from any thread.
final class ServerClock: Sendable {
    private let offset = Locked<Int64>(0)

    /// Seconds since 1970, by which requests are judged and objects dated.
    var now: Int64 { Dates.now + offset.withLock { $0 } }

    var isShifted: Bool { offset.withLock { $0 } != 0 }

    func shift(by seconds: Int64) { offset.withLock { $0 = seconds } }
}

/// One line of the routing table: a request with this method, this scope and exactly these selectors.
struct Route: Sendable {
    enum Scope: Sendable { case service, bucket, object }

    enum Selector: Hashable, Sendable {
        /// A query parameter that makes another operation of the request.
        case query(Bytes)
        /// A header that does.
        case header(Bytes)
    }

    typealias Handler = @Sendable (Request, Service) throws -> Work

    let method: Bytes
    let scope: Scope
    let selectors: Set<Selector>
    /// True if `versionId` may name a version for it.
    let takesVersion: Bool
    let operation: Operation
    let handler: Handler

    init(
        _ method: StaticString, _ scope: Scope, query: [StaticString] = [], header: StaticString? = nil,
        takesVersion: Bool = false, _ operation: Operation, _ handler: @escaping Handler
    ) {
        self.method = Bytes(method)
        self.scope = scope
        var selectors = Set(query.map { Selector.query(Bytes($0)) })
        if let header { selectors.insert(.header(Bytes(header))) }
        self.selectors = selectors
        self.takesVersion = takesVersion
        self.operation = operation
        self.handler = handler
    }
}

/// Finds the operation of a request in the table that the families of operations bring.
enum Router {
    private static let routes: [Route] =
        BucketOperations.routes + ListOperations.routes + HeadOperations.routes + GetObject.routes + PutObject.routes
        + CopyObject.routes + DeleteOperations.routes + MultipartUpload.routes + AppendObject.routes
        + SymlinkOperations.routes + TaggingOperations.routes + AccessOperations.routes + RestoreObject.routes
        + AccountOperations.routes + VersionOperations.routes + ProcessObject.routes + NamespaceOperations.routes

    /// OSS's sub-resources, known here or not: with one that no route names, the request gets NotImplemented instead
    /// of being taken for something else.
    private static let subresources: Set<Bytes> = Set(
        """
        acl append asyncFetch bucketArchiveDirectRead bucketInfo callback callback-var cleanRestoredObject cloudboxes \
        cname comp cors delete encryption httpsConfig inventory inventoryId lifecycle link list-type live \
        location logging metaQuery objectInfo objectMeta partNumber policy policyStatus position publicAccessBlock qos \
        qosInfo referer regionList regions replication replicationLocation replicationProgress requestPayment \
        requesterQosInfo resourceGroup restore seal select sequential stat status style styleName symlink tagging \
        transferAcceleration uploadId uploads vod versionId versioning versions website worm wormExtend wormId \
        x-oss-ac-source-ip x-oss-async-process x-oss-batchGet x-oss-delete x-oss-dir x-oss-process x-oss-rename
        """.split(separator: " ").map { Bytes($0.utf8) })

    private static let selectingHeaders: [Bytes] = [Bytes("x-oss-copy-source")]

    /// The services beside OSS, which check their callers themselves; nil for a request to OSS.
    static func otherService(_ request: Request) -> Route? {
        if SecurityTokenService.claims(request) { return SecurityTokenService.route }
        return AuthServer.claims(request) ? AuthServer.route : nil
    }

    /// The route, or nil and the parameter that stands in its way.
    static func route(_ request: Request) -> (route: Route?, unknown: Bytes) {
        let scope: Route.Scope = request.bucket.isEmpty ? .service : request.key.isEmpty ? .bucket : .object
        var selectors: Set<Route.Selector> = []
        for parameter in request.query.all where subresources.contains(parameter.name) {
            selectors.insert(.query(parameter.name))
        }
        for name in selectingHeaders where request.headers[name] != nil { selectors.insert(.header(name)) }
        let namesVersion = selectors.remove(.query(Bytes("versionId"))) != nil
        let found = routes.first {
            (!namesVersion || $0.takesVersion) && $0.scope == scope && $0.selectors == selectors
                && $0.method == request.method
        }
        let unknown = request.query.all.first { subresources.contains($0.name) }?.name ?? request.method
        return (found, unknown)
    }
}
