import Encoding
import OSSClient
import ObjectStore
import TestSupport

/// The calls on objects, by name; the others stand in `UploadCalls` and `FamilyCalls`.
enum Calls {
    typealias Call = @Sendable (CallParameters, OSSClient) throws -> JSONValue

    private static let all: [String: Call] =
        objects.merging(UploadCalls.all) { first, _ in first }.merging(FamilyCalls.all) { first, _ in first }

    static func make(_ name: String, _ request: CallParameters, _ client: OSSClient) throws -> JSONValue {
        guard let call = all[name] else { throw Misuse("there is no call \(name)") }
        return try call(request, client)
    }

    private static let objects: [String: Call] = [
        "probe": { request, client in
            try client.probe(try request.context())
            return .null
        },
        "list": { request, client in
            let listing = ListRequest(
                prefix: try request.bytes("prefix"), foldsDirectories: try request.flag("folds"),
                startAfter: try request.bytesIfGiven("start_after").map { ObjectKey($0) },
                continuation: try request.bytesIfGiven("next").map { ContinuationToken($0) },
                limit: Int(clamping: try request.integer("limit")))
            return try client.list(listing, try request.context()).told
        },
        "head": { request, client in
            if let version = try request.bytesIfGiven("version") {
                return try client.head(try request.key(), version: VersionID(version), try request.context()).told
            }
            return try client.head(try request.key(), try request.context()).told
        },
        "get": { request, client in
            let receiver = CollectingReceiver()
            let wanted = GetRequest(
                key: try request.key(), range: try request.range(),
                ifMatch: try request.bytesIfGiven("if_match").map { ETag($0) },
                version: try request.bytesIfGiven("version").map { VersionID($0) })
            let info = try client.get(wanted, into: receiver, try request.context())
            try request.keep(receiver.bytes)
            return info.told
        },
        "put": { request, client in
            let put = PutRequest(
                key: try request.key(), metadata: try request.metadata(), properties: try request.properties(),
                forbidOverwrite: try request.flag("forbid_overwrite"))
            return try client.put(put, body: try request.body(), try request.context()).told
        },
        "copy": { request, client in
            let copy = CopyRequest(
                source: try request.key("source"), destination: try request.key(),
                sourceIfMatch: try request.bytesIfGiven("source_if_match").map { ETag($0) },
                replacing: request.has("metadata") ? try request.metadata() : nil,
                properties: try request.properties(), taggingReplaces: try request.flag("replaces_tags"),
                forbidOverwrite: try request.flag("forbid_overwrite"))
            return try client.copy(copy, try request.context()).told
        },
        "delete": { request, client in
            if let version = try request.bytesIfGiven("version") {
                try client.delete(try request.key(), version: VersionID(version), try request.context())
            } else {
                try client.delete(try request.key(), try request.context())
            }
            return .null
        },
        "presign": { request, client in
            let seconds = try request.integer("seconds")
            return .hex(try client.presignedURL(try request.key(), lifetime: seconds, try request.context()))
        },
    ]
}
