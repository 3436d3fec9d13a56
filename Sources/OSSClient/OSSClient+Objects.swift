import HTTPTransport
import ObjectStore

extension OSSClient {
    package func head(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo {
        try repeating(.headObject, key, context) { (state) throws(AttemptFailure) in try headOnce(key, &state) }
    }

    /// One attempt of a HEAD, also to settle what a lost answer left open.
    func headOnce(_ key: ObjectKey, _ state: inout CallState) throws(AttemptFailure) -> ObjectInfo {
        let answer = try exchange(OSSRequest(operation: .headObject, method: "HEAD", key: key), &state)
        return try described(answer.head, state)
    }

    /// What the answer to a HEAD tells.
    func described(_ head: HTTPResponseHead, _ state: CallState) throws(AttemptFailure) -> ObjectInfo {
        guard let size = ReplyHeaders.contentLength(head), let info = ReplyHeaders.info(head, size: size) else {
            throw state.failure(
                .unexpected, .doubtful, status: head.status, "the answer lacks the object's size, ETag or Last-Modified"
            )
        }
        return info
    }

    /// The same; nil where the server says that there is no such object.
    func headIfPresent(_ key: ObjectKey, _ state: inout CallState) throws(AttemptFailure) -> ObjectInfo? {
        do throws(AttemptFailure) {
            return try headOnce(key, &state)
        } catch {
            guard error.error.kind == .notFound else { throw error }
            return nil
        }
    }

    package func delete(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) {
        try repeating(.deleteObject, key, context) { (state) throws(AttemptFailure) in
            do throws(AttemptFailure) {
                _ = try exchange(OSSRequest(operation: .deleteObject, method: "DELETE", key: key), &state)
            } catch {
                // OSS answers 204 for an absent object; other services that speak its language may not.
                guard error.error.kind == .notFound else { throw error }
            }
        }
    }

    package func copy(_ request: CopyRequest, _ context: RequestContext) throws(ObjectStoreError) -> WriteResult {
        try repeating(.copyObject, request.destination, context) { (state) throws(AttemptFailure) in
            let sent = try copyRequest(request, state)
            do throws(AttemptFailure) {
                let answer = try exchange(sent, &state)
                guard let result = CopyResult.read(answer.body, root: "CopyObjectResult") else {
                    var failure = state.failure(
                        .unexpected, .doubtful, status: answer.head.status, "the answer is no result of a copy")
                    failure.mayHaveTakenEffect = true
                    throw failure
                }
                return WriteResult(
                    etag: ETag(result.etag), crc64: ReplyHeaders.crc64(answer.head),
                    lastModified: result.lastModified, serverDate: ReplyHeaders.serverDate(answer.head))
            } catch {
                if let result = try settled(request, error, &state) { return result }
                throw error
            }
        }
    }

    private func copyRequest(_ request: CopyRequest, _ state: CallState) throws(AttemptFailure) -> OSSRequest {
        let source = CanonicalForm.resource(bucket: Array(configuration.bucket.utf8), key: request.source.bytes)
        var headers = [
            HTTPHeader("x-oss-copy-source", source),
            HTTPHeader("x-oss-metadata-directive", request.replacing == nil ? "COPY" : "REPLACE"),
        ]
        if let etag = request.sourceIfMatch {
            headers.append(HTTPHeader("x-oss-copy-source-if-match", try RequestHeaders.checked(etag.bytes, state)))
        }
        if let metadata = request.replacing { headers += try RequestHeaders.metadata(metadata, state) }
        headers += try RequestHeaders.properties(request.properties, state, withTags: request.taggingReplaces)
        if request.taggingReplaces { headers.append(HTTPHeader("x-oss-tagging-directive", "Replace")) }
        if request.forbidOverwrite { headers.append(HTTPHeader("x-oss-forbid-overwrite", "true")) }
        return OSSRequest(
            operation: .copyObject, method: "PUT", key: request.destination, headers: headers, body: EmptyBody())
    }

    /// Where an earlier attempt may have copied already and its answer was lost, a refusal may only mean that: then the
    /// destination tells. Nil where it isn't the copy that was asked for.
    private func settled(
        _ request: CopyRequest, _ failure: AttemptFailure, _ state: inout CallState
    ) throws(AttemptFailure) -> WriteResult? {
        guard state.effectIsUnknown else { return nil }
        switch failure.error.kind {
        case .alreadyExists where request.forbidOverwrite && request.source != request.destination:
            guard let made = try headIfPresent(request.destination, &state),
                let source = try headIfPresent(request.source, &state),
                let crc = made.crc64, crc == source.crc64, made.size == source.size
            else { return nil }
            return WriteResult(made)
        case .preconditionFailed where request.source == request.destination && request.replacing != nil:
            // A copy onto itself may change the ETag that it was conditioned on.
            guard let made = try headIfPresent(request.destination, &state),
                made.metadata.hasSameUserMetadata(as: request.replacing)
            else { return nil }
            return WriteResult(made)
        default: return nil
        }
    }
}

extension WriteResult {
    /// What a HEAD found in place of the answer that was lost.
    init(_ info: ObjectInfo) {
        self.init(
            etag: info.etag, crc64: info.crc64, lastModified: info.lastModified, serverDate: info.serverDate)
    }
}

extension ObjectMetadata {
    /// Whether the service would keep the user metadata of `other` as these: names in lower case, values without the
    /// blanks around them.
    func hasSameUserMetadata(as other: ObjectMetadata?) -> Bool {
        func kept(_ user: [String: [UInt8]]) -> [String: [UInt8]] {
            let pairs = user.map { ($0.key.lowercased(), CanonicalForm.trimmed($0.value)) }
            return Dictionary(pairs) { first, _ in first }
        }
        return kept(user) == kept(other?.user ?? [:])
    }
}

/// Headers that carry what callers gave.
enum RequestHeaders {
    /// A put and a replacing copy say everything, as OSS would choose or drop what is left out.
    static func metadata(_ metadata: ObjectMetadata, _ state: CallState) throws(AttemptFailure) -> [HTTPHeader] {
        let type = metadata.contentType ?? Array("application/octet-stream".utf8)
        var headers = [HTTPHeader("Content-Type", try checked(type, state))]
        for name in ReplyHeaders.contentHeaders {
            guard let value = metadata.contentHeaders[name] else { continue }
            headers.append(HTTPHeader(name, try checked(value, state)))
        }
        for (name, value) in metadata.user.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy(isNameByte) else {
                throw state.failure(
                    .invalidRequest, .never, "names of user metadata hold letters, digits and hyphens alone")
            }
            headers.append(HTTPHeader(ReplyHeaders.userMetadataPrefix + name, try checked(value, state)))
        }
        return headers
    }

    /// The value, if it can stand in a header: without control characters, as a line feed would begin another one.
    static func checked(_ value: [UInt8], _ state: CallState) throws(AttemptFailure) -> [UInt8] {
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw state.failure(.invalidRequest, .never, "a header's value holds a control character")
        }
        return value
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
