import Checksums
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func put(
        _ request: PutRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        // A wrong checksum in a successful answer shows that the object is ours to replace.
        var isOurs = false
        return try repeating(.putObject, request.key, context) { (state) throws(AttemptFailure) in
            var headers = try RequestHeaders.metadata(request.metadata, state)
            headers += try RequestHeaders.properties(request.properties, state)
            if request.forbidOverwrite, !isOurs { headers.append(HTTPHeader("x-oss-forbid-overwrite", "true")) }
            let checked = ChecksummedBody(body)
            let sent = OSSRequest(
                operation: .putObject, method: "PUT", key: request.key, headers: headers, body: checked,
                transferBytes: body.count)
            let answer: (head: HTTPResponseHead, body: [UInt8])
            do throws(AttemptFailure) {
                answer = try exchange(sent, &state)
            } catch {
                guard error.error.kind == .alreadyExists, state.effectIsUnknown else { throw error }
                // An earlier attempt of ours may be what exists: then bytes and user metadata are ours.
                guard let found = try headIfPresent(request.key, &state), found.size == body.count,
                    let crc = found.crc64, crc == checked.crc64,
                    found.metadata.hasSameUserMetadata(as: request.metadata)
                else { throw error }
                return WriteResult(found)
            }
            return try writeResult(answer.head, checked, &isOurs, &state)
        }
    }

    private func writeResult(
        _ head: HTTPResponseHead, _ body: ChecksummedBody, _ isOurs: inout Bool, _ state: inout CallState
    ) throws(AttemptFailure) -> WriteResult {
        isOurs = true
        let requestID = ErrorResponse.text(head.value(of: "x-oss-request-id") ?? [])
        let crc = ReplyHeaders.crc64(head)
        if let crc, crc != body.crc64 {
            throw state.failure(
                .corrupted, .doubtful, status: head.status, requestID: requestID,
                "the server's CRC-64 of the object is \(crc), that of the bytes sent \(body.crc64)")
        }
        guard let etag = head.value(of: "ETag"), !etag.isEmpty else {
            throw state.failure(
                .unexpected, .doubtful, status: head.status, requestID: requestID, "the answer has no ETag")
        }
        return WriteResult(etag: ETag(etag), crc64: crc, serverDate: ReplyHeaders.serverDate(head))
    }
}

/// A body whose CRC-64 is computed from the very bytes that the transport takes.
final class ChecksummedBody: HTTPBody, @unchecked Sendable {
    // Unchecked: the transport asks for one piece after the other, and the caller looks only once the exchange has ended.
    private let body: any ObjectBody
    private var running = CRC64()
    private var position: Int64 = 0

    init(_ body: any ObjectBody) { self.body = body }

    var count: Int64 { body.count }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let copied = body.copy(from: offset, into: buffer)
        if offset == 0 {
            running = CRC64()
            position = 0
        }
        // What is read again or past a gap doesn't count; `crc64` then reads for itself.
        if offset == position, copied > 0, body.crc64 == nil {
            running.update(UnsafeRawBufferPointer(start: buffer.baseAddress, count: copied))
            position += Int64(copied)
        }
        return copied
    }

    /// Of the whole body: what its owner knows, or what was sent, or read again where the transport stopped short.
    var crc64: UInt64 {
        if let known = body.crc64 { return known }
        if position == count { return running.value }
        // 64 KiB: one cache's worth.
        return withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
            var crc = CRC64()
            var offset: Int64 = 0
            while offset < count {
                let copied = body.copy(from: offset, into: buffer)
                guard copied > 0 else { break }
                crc.update(UnsafeRawBufferPointer(start: buffer.baseAddress, count: copied))
                offset += Int64(copied)
            }
            return crc.value
        }
    }
}
