import HTTPTransport
import ObjectStore

extension OSSClient {
    @discardableResult
    package func get(
        _ request: GetRequest, into receiver: any ObjectReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo {
        let session = GetSession(request, receiver)
        return try repeating(.getObject, request.key, context) { (state) throws(AttemptFailure) in
            if let range = request.range, range.isEmpty || range.lowerBound < 0 {
                throw state.failure(.invalidRequest, .never, "a range is neither empty nor negative")
            }
            let sent = try getRequest(session, state)
            let exchange = GetExchange(session)
            defer { state.madeProgress = exchange.receivedBytes > 0 }
            do throws(AttemptFailure) {
                try send(sent, into: exchange, &state) { exchange.head }
            } catch {
                // The exchange ends as cancelled where the session itself stopped it; and one that breaks after the last
                // byte has brought all that was asked for.
                if let problem = exchange.problem { throw problem.failure(state) }
                guard session.isComplete, exchange.receivedBytes > 0 else { throw error }
            }
            do throws(AttemptFailure) {
                return try exchange.finish(state)
            } catch {
                throw request.version.map(error.ofVersion) ?? error
            }
        }
    }

    private func getRequest(_ session: GetSession, _ state: CallState) throws(AttemptFailure) -> OSSRequest {
        var headers: [HTTPHeader] = []
        if let range = session.rangeToAsk {
            headers.append(HTTPHeader("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
            // Without it a range that passes the end is answered by the whole object.
            headers.append(HTTPHeader("x-oss-range-behavior", "standard"))
        }
        if let etag = session.versionToAsk {
            headers.append(HTTPHeader("If-Match", try RequestHeaders.checked(etag.bytes, state)))
        }
        let query = session.request.version.map { [QueryItem("versionId", $0.bytes)] } ?? []
        return OSSRequest(
            operation: .getObject, method: "GET", key: session.request.key, query: query, headers: headers,
            transferBytes: session.bytesToCome)
    }
}
