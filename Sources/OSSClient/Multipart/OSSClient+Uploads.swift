import Encoding
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func initiateUpload(
        _ request: InitiateRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadAddress {
        try repeating(.initiateUpload, request.key, context) { (state) throws(AttemptFailure) in
            var headers = try RequestHeaders.metadata(request.metadata, state)
            headers += try RequestHeaders.properties(request.properties, state)
            let answer = try exchange(
                OSSRequest(
                    operation: .initiateUpload, method: "POST", key: request.key,
                    query: [QueryItem("uploads"), QueryItem("encoding-type", "url")], headers: headers,
                    body: EmptyBody()),
                &state)
            guard let id = ResultElement.read(answer.body, root: "InitiateMultipartUploadResult", element: "UploadId")
            else {
                throw state.failure(.unexpected, .doubtful, status: answer.head.status, "the answer names no upload")
            }
            return UploadAddress(key: request.key, id: UploadID(id))
        }
    }

    package func abortUpload(_ address: UploadAddress, _ context: RequestContext) throws(ObjectStoreError) {
        try repeating(.abortUpload, address.key, context) { (state) throws(AttemptFailure) in
            do throws(AttemptFailure) {
                _ = try exchange(
                    OSSRequest(
                        operation: .abortUpload, method: "DELETE", key: address.key, query: [address.queryItem]),
                    &state)
            } catch {
                guard error.error.kind == .noSuchUpload else { throw error }
            }
        }
    }

    package func listParts(
        _ address: UploadAddress, after number: PartNumber?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartPage {
        try repeating(.listParts, address.key, context) { (state) throws(AttemptFailure) in
            try listPartsOnce(address, after: number, limit: limit, &state)
        }
    }

    /// One attempt of a listing, also to see whether an upload is still there.
    func listPartsOnce(
        _ address: UploadAddress, after number: PartNumber?, limit: Int, _ state: inout CallState
    ) throws(AttemptFailure) -> PartPage {
        var query = [
            address.queryItem, QueryItem("encoding-type", "url"),
            QueryItem("max-parts", String(min(max(limit, 1), 1000))),
        ]
        if let number { query.append(QueryItem("part-number-marker", String(number.value))) }
        let answer = try exchange(
            OSSRequest(operation: .listParts, method: "GET", key: address.key, query: query), &state)
        do throws(ListResult.Malformed) {
            return try PartListing.page(answer.body, after: number)
        } catch {
            throw state.failure(.unexpected, .doubtful, status: answer.head.status, error.message)
        }
    }

    package func listUploads(
        prefix: [UInt8], after marker: UploadAddress?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadPage {
        var query = [
            QueryItem("uploads"), QueryItem("encoding-type", "url"),
            QueryItem("max-uploads", String(min(max(limit, 1), 1000))),
        ]
        if !prefix.isEmpty { query.append(QueryItem("prefix", prefix)) }
        if let marker {
            query.append(QueryItem("key-marker", marker.key.bytes))
            if !marker.id.bytes.isEmpty { query.append(QueryItem("upload-id-marker", marker.id.bytes)) }
        }
        let listing = OSSRequest(operation: .listUploads, method: "GET", query: query)
        return try repeating(.listUploads, nil, context) { (state) throws(AttemptFailure) in
            let answer = try exchange(listing, &state, maximumBytes: XMLReader.maximumBytes)
            do throws(ListResult.Malformed) {
                return try UploadListing.page(
                    answer.body, after: marker, serverDate: ReplyHeaders.serverDate(answer.head))
            } catch {
                throw state.failure(.unexpected, .doubtful, status: answer.head.status, error.message)
            }
        }
    }
}

extension UploadAddress {
    /// What names the upload in a request on its key.
    var queryItem: QueryItem { QueryItem("uploadId", id.bytes) }
}
