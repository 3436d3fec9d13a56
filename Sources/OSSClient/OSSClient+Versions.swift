import Encoding
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func listVersions(
        _ request: VersionListRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> VersionPage {
        var query = [
            QueryItem("versions"), QueryItem("encoding-type", "url"),
            QueryItem("max-keys", String(min(max(request.limit, 1), 1000))),
        ]
        if !request.prefix.isEmpty { query.append(QueryItem("prefix", request.prefix)) }
        if request.foldsDirectories { query.append(QueryItem("delimiter", "/")) }
        if let after = request.after {
            query.append(QueryItem("key-marker", after.key.bytes))
            if let version = after.version { query.append(QueryItem("version-id-marker", version.bytes)) }
        }
        let listing = OSSRequest(operation: .listVersions, method: "GET", query: query)
        return try repeating(.listVersions, nil, context) { (state) throws(AttemptFailure) in
            let answer = try exchange(listing, &state, maximumBytes: XMLReader.maximumBytes)
            do throws(ListResult.Malformed) {
                return try VersionList.page(answer.body)
            } catch {
                throw state.failure(.unexpected, .doubtful, status: answer.head.status, error.message)
            }
        }
    }

    package func head(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo {
        try repeating(.headObject, key, context) { (state) throws(AttemptFailure) in
            let sent = OSSRequest(
                operation: .headObject, method: "HEAD", key: key, query: [QueryItem("versionId", version.bytes)])
            do throws(AttemptFailure) {
                return try described(try exchange(sent, &state).head, state)
            } catch {
                throw error.ofVersion(version)
            }
        }
    }

    package func delete(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) {
        let sent = OSSRequest(
            operation: .deleteObject, method: "DELETE", key: key, query: [QueryItem("versionId", version.bytes)])
        try repeating(.deleteObject, key, context) { (state) throws(AttemptFailure) in
            do throws(AttemptFailure) {
                _ = try exchange(sent, &state)
            } catch {
                guard error.error.kind == .notFound else { throw error }
            }
        }
    }
}

extension AttemptFailure {
    /// The same, where it was about that version: a method that isn't allowed for it says that it is a delete marker.
    func ofVersion(_ version: VersionID) -> AttemptFailure {
        guard error.status == 405 else { return self }
        var failure = self
        failure.error.kind = .notFound
        failure.error.deleteMarker = version
        return failure
    }
}
