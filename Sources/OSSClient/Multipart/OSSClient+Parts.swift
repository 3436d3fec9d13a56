import HTTPTransport
import ObjectStore

extension OSSClient {
    package func uploadPart(
        _ address: UploadAddress, _ number: PartNumber, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult {
        try repeating(.uploadPart, address.key, context) { (state) throws(AttemptFailure) in
            let checked = ChecksummedBody(body)
            let answer = try exchange(
                OSSRequest(
                    operation: .uploadPart, method: "PUT", key: address.key, query: address.query(of: number),
                    body: checked, transferBytes: body.count),
                &state)
            let requestID = ErrorResponse.text(answer.head.value(of: "x-oss-request-id") ?? [])
            let crc = checked.crc64
            if let told = ReplyHeaders.crc64(answer.head), told != crc {
                throw state.failure(
                    .corrupted, .doubtful, status: answer.head.status, requestID: requestID,
                    "the server's CRC-64 of part \(number.value) is \(told), that of the bytes sent \(crc)")
            }
            guard let etag = answer.head.value(of: "ETag"), !etag.isEmpty else {
                throw state.failure(
                    .unexpected, .doubtful, status: answer.head.status, requestID: requestID, "the answer has no ETag")
            }
            return PartResult(number: number, etag: ETag(etag), size: body.count, crc64: crc)
        }
    }

    package func copyPart(
        _ address: UploadAddress, _ number: PartNumber, from source: PartCopySource, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult {
        // What a copy of the whole is of, once a HEAD has told.
        var whole: (size: Int64, etag: ETag)?
        return try repeating(.copyPart, address.key, context) { (state) throws(AttemptFailure) in
            if let range = source.range, range.isEmpty || range.lowerBound < 0 {
                throw state.failure(.invalidRequest, .never, "a range is neither empty nor negative")
            }
            if source.range == nil, whole == nil {
                let info = try headOnce(source.key, &state)
                whole = (info.size, source.ifMatch ?? info.etag)
            }
            let size = source.range.map { Int64($0.count) } ?? whole?.size ?? 0
            let request = try partCopy(
                address, number, source, version: source.ifMatch ?? whole?.etag, size: size, state)
            do throws(AttemptFailure) {
                return try copyOnce(request, number, size: size, &state)
            } catch {
                var failure = error
                if failure.error.kind == .preconditionFailed, source.ifMatch == nil {
                    // Replaced since the HEAD, and any version will do.
                    whole = nil
                    failure.repetition = .doubtful
                }
                throw failure
            }
        }
    }

    private func copyOnce(
        _ request: OSSRequest, _ number: PartNumber, size: Int64, _ state: inout CallState
    ) throws(AttemptFailure) -> PartResult {
        let answer = try exchange(request, &state)
        guard let result = CopyResult.read(answer.body, root: "CopyPartResult") else {
            throw state.failure(
                .unexpected, .doubtful, status: answer.head.status, "the answer is no result of a part's copy")
        }
        return PartResult(
            number: number, etag: ETag(result.etag), size: size, crc64: ReplyHeaders.crc64(answer.head))
    }

    private func partCopy(
        _ address: UploadAddress, _ number: PartNumber, _ source: PartCopySource, version: ETag?, size: Int64,
        _ state: CallState
    ) throws(AttemptFailure) -> OSSRequest {
        let resource = CanonicalForm.resource(bucket: Array(configuration.bucket.utf8), key: source.key.bytes)
        var headers = [HTTPHeader("x-oss-copy-source", resource)]
        if let range = source.range {
            headers.append(
                HTTPHeader("x-oss-copy-source-range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        if let version {
            headers.append(HTTPHeader("x-oss-copy-source-if-match", try RequestHeaders.checked(version.bytes, state)))
        }
        return OSSRequest(
            operation: .copyPart, method: "PUT", key: address.key, query: address.query(of: number), headers: headers,
            body: EmptyBody(), copiedBytes: size)
    }
}

extension UploadAddress {
    fileprivate func query(of number: PartNumber) -> [QueryItem] {
        [QueryItem("partNumber", String(number.value)), queryItem]
    }
}
