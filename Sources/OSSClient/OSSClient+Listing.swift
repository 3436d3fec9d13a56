import Encoding
import HTTPTransport
import ObjectStore

extension OSSClient {
    package func probe(_ context: RequestContext) throws(ObjectStoreError) {
        _ = try list(
            ListRequest(prefix: configuration.probePrefix, foldsDirectories: false, limit: 1), context)
    }

    /// A page with something in it, or the last one: OSS may send empty pages in between, for example where only deleted
    /// versions lie, and a page of one row would tell that a directory isn't there.
    package func list(_ request: ListRequest, _ context: RequestContext) throws(ObjectStoreError) -> ListPage {
        var request = request
        while true {
            let page = try listOnce(request, context)
            guard let next = page.next, page.rows.isEmpty, page.commonPrefixes.isEmpty, next != request.continuation
            else { return page }
            request.continuation = next
        }
    }

    private func listOnce(_ request: ListRequest, _ context: RequestContext) throws(ObjectStoreError) -> ListPage {
        var query = [
            QueryItem("list-type", "2"), QueryItem("encoding-type", "url"),
            QueryItem("max-keys", String(min(max(request.limit, 1), 1000))),
        ]
        if !request.prefix.isEmpty { query.append(QueryItem("prefix", request.prefix)) }
        if request.foldsDirectories { query.append(QueryItem("delimiter", "/")) }
        if let token = request.continuation {
            query.append(QueryItem("continuation-token", token.bytes))
        } else if let key = request.startAfter, !key.bytes.isEmpty {
            query.append(QueryItem("start-after", key.bytes))
        }
        let listing = OSSRequest(operation: .listObjects, method: "GET", query: query)
        return try repeating(.listObjects, nil, context) { (state) throws(AttemptFailure) in
            let answer = try exchange(listing, &state, maximumBytes: XMLReader.maximumBytes)
            do throws(ListResult.Malformed) {
                return try ListResult.page(answer.body, serverDate: ReplyHeaders.serverDate(answer.head))
            } catch {
                throw state.failure(.unexpected, .doubtful, status: answer.head.status, error.message)
            }
        }
    }
}
