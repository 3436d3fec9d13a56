import Encoding
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func completeUpload(
        _ request: CompleteRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        try repeating(.completeUpload, request.address.key, context) { (state) throws(AttemptFailure) in
            if request.mayBeDone { state.effectIsUnknown = true }
            let sent = try completion(request, state)
            let answer: (head: HTTPResponseHead, body: [UInt8])
            do throws(AttemptFailure) {
                answer = try exchange(sent, &state)
            } catch {
                if let found = try settled(request, error, &state) { return WriteResult(found) }
                throw error
            }
            return try result(of: request, answer, state)
        }
    }

    private func completion(_ request: CompleteRequest, _ state: CallState) throws(AttemptFailure) -> OSSRequest {
        guard !request.parts.isEmpty else {
            throw state.failure(.invalidRequest, .never, "an upload is completed with one part at least")
        }
        guard request.parts.allSatisfy({ XMLWriter.canCarry($0.etag.bytes) }) else {
            throw state.failure(.invalidRequest, .never, "a part's ETag has bytes that XML can't carry")
        }
        var document = XMLWriter()
        document.element("CompleteMultipartUpload") { document in
            for part in request.parts {
                document.element("Part") { document in
                    document.element("PartNumber", String(part.number.value).utf8)
                    document.element("ETag", part.etag.bytes)
                }
            }
        }
        var headers = [HTTPHeader("Content-Type", "application/xml")]
        if request.forbidOverwrite { headers.append(HTTPHeader("x-oss-forbid-overwrite", "true")) }
        headers += try RequestHeaders.properties(ObjectProperties(acl: request.acl), state)
        return OSSRequest(
            operation: .completeUpload, method: "POST", key: request.address.key,
            query: [request.address.queryItem, QueryItem("encoding-type", "url")], headers: headers,
            body: DocumentBody(document), transferBytes: Int64(document.bytes.count))
    }

    private func result(
        of request: CompleteRequest, _ answer: (head: HTTPResponseHead, body: [UInt8]), _ state: CallState
    ) throws(AttemptFailure) -> WriteResult {
        let told = ResultElement.read(answer.body, root: "CompleteMultipartUploadResult", element: "ETag")
        guard let etag = told, !etag.isEmpty else {
            var failure = state.failure(
                .unexpected, .doubtful, status: answer.head.status, "the answer is no result of a completion")
            failure.mayHaveTakenEffect = true
            throw failure
        }
        let crc = ReplyHeaders.crc64(answer.head)
        if let crc, let expected = request.crc64, crc != expected {
            throw state.failure(
                .corrupted, .never, status: answer.head.status,
                requestID: ErrorResponse.text(answer.head.value(of: "x-oss-request-id") ?? []),
                "the object is made, and the server's CRC-64 of it is \(crc), that of the bytes sent \(expected)")
        }
        return WriteResult(etag: ETag(etag), crc64: crc, serverDate: ReplyHeaders.serverDate(answer.head))
    }

    /// Where an earlier attempt may have completed the upload and its answer was lost, a refusal may only mean that: then
    /// the object tells. Nil where it isn't the one that was to be made.
    ///
    /// The repeat is asked first, and the object only once the upload is known to be gone: an object that looks the same
    /// may be the old one, with other metadata.
    private func settled(
        _ request: CompleteRequest, _ failure: AttemptFailure, _ state: inout CallState
    ) throws(AttemptFailure) -> ObjectInfo? {
        guard state.effectIsUnknown else { return nil }
        switch failure.error.kind {
        case .noSuchUpload: break
        case .alreadyExists where request.forbidOverwrite:
            guard try isGone(request.address, &state) else { return nil }
        default: return nil
        }
        guard let found = try headIfPresent(request.address.key, &state), request.fits(found) else { return nil }
        return found
    }

    private func isGone(_ address: UploadAddress, _ state: inout CallState) throws(AttemptFailure) -> Bool {
        do throws(AttemptFailure) {
            _ = try listPartsOnce(address, after: nil, limit: 1, &state)
            return false
        } catch {
            guard error.error.kind == .noSuchUpload else { throw error }
            return true
        }
    }
}

extension CompleteRequest {
    /// Whether the object that is there can be what the completion made.
    fileprivate func fits(_ info: ObjectInfo) -> Bool {
        guard info.size == size, metadata == nil || info.metadata.hasSameUserMetadata(as: metadata) else {
            return false
        }
        if let expected = crc64, let crc = info.crc64 { return crc == expected }
        // OSS names the objects of uploads so: https://www.alibabacloud.com/help/en/oss/developer-reference/completemultipartupload
        let suffix = Array("-\(parts.count)".utf8)
        return info.etag.bytes.filter { $0 != UInt8(ascii: "\"") }.suffix(suffix.count).elementsEqual(suffix)
    }
}
