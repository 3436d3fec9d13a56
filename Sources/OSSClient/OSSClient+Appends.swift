import Checksums
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func append(
        _ request: AppendRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> AppendResult {
        try repeating(.appendObject, request.key, context) { (state) throws(AttemptFailure) in
            let checked = ChecksummedBody(body)
            // What may have been appended is looked for before anything is sent again.
            if state.effectIsUnknown, let result = try settled(request, checked, &state) { return result }
            let sent = OSSRequest(
                operation: .appendObject, method: "POST", key: request.key,
                query: [QueryItem("append"), QueryItem("position", String(request.position))],
                headers: try RequestHeaders.metadata(request.metadata, state), body: checked,
                transferBytes: body.count)
            do throws(AttemptFailure) {
                return try appendResult(try exchange(sent, &state).head, request, checked, state)
            } catch {
                // The position may be wrong because what the transport sent twice has moved it.
                guard error.error.kind == .preconditionFailed, state.effectIsUnknown,
                    let result = try settled(request, checked, &state)
                else { throw error }
                return result
            }
        }
    }

    /// CRC-64 of the grown object; nil where that of the bytes before is unknown.
    private func expectedCRC(_ request: AppendRequest, _ body: ChecksummedBody) -> UInt64? {
        request.crc64.map { CRC64.combine($0, body.crc64, lengthOfB: body.count) }
    }

    private func appendResult(
        _ head: HTTPResponseHead, _ request: AppendRequest, _ body: ChecksummedBody, _ state: CallState
    ) throws(AttemptFailure) -> AppendResult {
        let end = request.position + body.count
        let position = ReplyHeaders.appendPosition(head) ?? end
        guard position == end else {
            throw state.failure(
                .unexpected, .never, status: head.status, "the object ends at \(position) instead of \(end)")
        }
        let crc = ReplyHeaders.crc64(head)
        if let crc, let expected = expectedCRC(request, body), crc != expected {
            // What was appended can't be taken back.
            throw state.failure(
                .corrupted, .never, status: head.status,
                "the server's CRC-64 of the grown object is \(crc), that of the bytes before and those sent \(expected)"
            )
        }
        return AppendResult(position: position, crc64: crc, serverDate: ReplyHeaders.serverDate(head))
    }

    /// What an attempt without an answer has done, by the object's length and checksum; nil where it did nothing, so
    /// that the bytes may be sent again: the server refuses them should the lost attempt still come to pass.
    private func settled(
        _ request: AppendRequest, _ body: ChecksummedBody, _ state: inout CallState
    ) throws(AttemptFailure) -> AppendResult? {
        guard let found = try headIfPresent(request.key, &state) else {
            guard request.position == 0 else { throw state.failure(.notFound, .never, "the object is gone") }
            return nil
        }
        let expected = expectedCRC(request, body)
        let isOurs = expected == nil || found.crc64 == nil || expected == found.crc64
        if found.size == request.position + body.count, found.type == .appendable, isOurs {
            return AppendResult(position: found.size, crc64: found.crc64, serverDate: found.serverDate)
        }
        if found.size == request.position, body.count > 0 { return nil }
        var failure = state.failure(.preconditionFailed, .never, "the object was changed by somebody else")
        failure.error.appendPosition = found.size
        throw failure
    }
}
