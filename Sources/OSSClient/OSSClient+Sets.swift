import Checksums
import Encoding
import HTTPTransport
import ObjectStore

extension OSSClient {
    /// https://www.alibabacloud.com/help/en/oss/developer-reference/deletemultipleobjects: a thousand keys a request.
    private static let keysPerRequest = 1000
    /// The service's bound on a document isn't documented; 2 MB is what its own tools stay under.
    private static let maximumDocumentBytes = 2_000_000

    package func deleteMany(_ keys: [ObjectKey], _ context: RequestContext) throws(ObjectStoreError) {
        var seen: Set<ObjectKey> = []
        let unique = keys.filter { seen.insert($0).inserted }
        var batch: [ObjectKey] = []
        var batchBytes = 0
        for key in unique {
            // A key that XML can't carry can't stand in the request.
            guard XMLWriter.canCarry(key.bytes) else {
                try delete(key, context)
                continue
            }
            var escaped: [UInt8] = []
            XMLWriter.appendEscaped(key.bytes, to: &escaped)
            // 64: the tags around a key.
            let bytes = escaped.count + 64
            if batch.count == Self.keysPerRequest || batchBytes + bytes > Self.maximumDocumentBytes {
                try deleteBatch(batch, context)
                (batch, batchBytes) = ([], 0)
            }
            batch.append(key)
            batchBytes += bytes
        }
        if !batch.isEmpty { try deleteBatch(batch, context) }
    }

    /// Keys that fit into one request; under load the service may remove some and say so, then the rest is asked for
    /// again.
    private func deleteBatch(_ keys: [ObjectKey], _ context: RequestContext) throws(ObjectStoreError) {
        var rest = keys
        try repeating(.deleteObjects, nil, context) { (state) throws(AttemptFailure) in
            let answer = try exchange(try deletion(of: rest, state), &state, maximumBytes: XMLReader.maximumBytes)
            guard let gone = DeleteResult.keys(answer.body) else {
                throw state.failure(
                    .unexpected, .doubtful, status: answer.head.status, "the answer is no list of what was deleted")
            }
            let asked = rest.count
            rest.removeAll { gone.contains($0) }
            guard !rest.isEmpty else { return }
            state.madeProgress = rest.count < asked
            throw state.failure(
                .unavailable, state.madeProgress ? .backoff : .doubtful, status: answer.head.status,
                "the server deleted \(asked - rest.count) of \(asked) objects")
        }
    }

    private func deletion(of keys: [ObjectKey], _ state: CallState) throws(AttemptFailure) -> OSSRequest {
        var xml = XMLWriter()
        xml.element("Delete") { xml in
            xml.element("Quiet", "false".utf8)
            for key in keys { xml.element("Object") { $0.element("Key", key.bytes) } }
        }
        let digest: [UInt8]
        do throws(DigestError) {
            digest = try Digest.md5(xml.bytes)
        } catch {
            throw state.failure(.unsupported, .never, "OpenSSL refuses \(error.algorithm), which deleting many needs")
        }
        return OSSRequest(
            operation: .deleteObjects, method: "POST", query: [QueryItem("delete"), QueryItem("encoding-type", "url")],
            headers: [
                HTTPHeader("Content-Type", "application/xml"), HTTPHeader("Content-MD5", Base64.encode(digest)),
            ], body: DocumentBody(xml), transferBytes: Int64(xml.bytes.count))
    }
}
