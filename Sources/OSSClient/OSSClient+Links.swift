import Encoding
import HTTPTransport
import Instrumentation
import ObjectStore

extension OSSClient {
    package func putLink(_ request: LinkRequest, _ context: RequestContext) throws(ObjectStoreError) {
        try repeating(.putSymlink, request.key, context) { (state) throws(AttemptFailure) in
            var headers = try RequestHeaders.metadata(request.metadata, state)
            headers.append(HTTPHeader("x-oss-symlink-target", PercentEncoding.encode(request.target.bytes)))
            if request.forbidOverwrite { headers.append(HTTPHeader("x-oss-forbid-overwrite", "true")) }
            let sent = OSSRequest(
                operation: .putSymlink, method: "PUT", key: request.key, query: [QueryItem("symlink")],
                headers: headers, body: EmptyBody())
            do throws(AttemptFailure) {
                _ = try exchange(sent, &state)
            } catch {
                // An earlier attempt of ours may be what exists.
                guard error.error.kind == .alreadyExists, state.effectIsUnknown, try isOurs(request, &state) else {
                    throw error
                }
            }
        }
    }

    private func isOurs(_ request: LinkRequest, _ state: inout CallState) throws(AttemptFailure) -> Bool {
        do throws(AttemptFailure) {
            let found = try linkOnce(request.key, &state)
            return found.target == request.target
                && ObjectMetadata(user: found.user).hasSameUserMetadata(as: request.metadata)
        } catch {
            // Another object, or none any more.
            guard [.invalidRequest, .notFound].contains(error.error.kind) else { throw error }
            return false
        }
    }

    package func link(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> LinkInfo {
        try repeating(.getSymlink, key, context) { (state) throws(AttemptFailure) in try linkOnce(key, &state) }
    }

    private func linkOnce(_ key: ObjectKey, _ state: inout CallState) throws(AttemptFailure) -> LinkInfo {
        let sent = OSSRequest(operation: .getSymlink, method: "GET", key: key, query: [QueryItem("symlink")])
        let head = try exchange(sent, &state).head
        guard let target = head.value(of: "x-oss-symlink-target"), !target.isEmpty else {
            throw state.failure(
                .unexpected, .doubtful, status: head.status, "the answer doesn't say where the link leads")
        }
        let metadata = ReplyHeaders.metadata(head)
        return LinkInfo(
            // Written by a program that didn't escape it.
            target: ObjectKey(PercentEncoding.decode(target) ?? target), etag: head.value(of: "ETag").map { ETag($0) },
            lastModified: head.value(of: "Last-Modified").flatMap(WallTime.init(httpDate:)), user: metadata.user)
    }

    package func meta(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo {
        try repeating(.getObjectMeta, key, context) { (state) throws(AttemptFailure) in
            let sent = OSSRequest(operation: .getObjectMeta, method: "HEAD", key: key, query: [QueryItem("objectMeta")])
            return try described(try exchange(sent, &state).head, state)
        }
    }
}
