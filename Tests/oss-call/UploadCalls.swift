import Encoding
import ObjectStore

/// The calls on objects that are sent in parts.
enum UploadCalls {
    static let all: [String: Calls.Call] = [
        "initiate": { request, client in
            let initiation = InitiateRequest(
                key: try request.key(), metadata: try request.metadata(), properties: try request.properties())
            return try client.initiateUpload(initiation, try request.context()).told
        },
        "upload_part": { request, client in
            try client.uploadPart(
                try request.upload(), try request.part(), body: try request.body(), try request.context()
            ).told
        },
        "copy_part": { request, client in
            let source = PartCopySource(
                key: try request.key("source"), range: try request.range(),
                ifMatch: try request.bytesIfGiven("source_if_match").map { ETag($0) })
            return try client.copyPart(
                try request.upload(), try request.part(), from: source, try request.context()
            ).told
        },
        "complete": { request, client in
            let parts = try request.inners("parts").map { part in
                CompletedPart(number: try part.part(), etag: ETag(try part.bytes("etag")))
            }
            let completion = CompleteRequest(
                address: try request.upload(), parts: parts, size: try request.integer("size"),
                crc64: try request.crc64(), forbidOverwrite: try request.flag("forbid_overwrite"))
            return try client.completeUpload(completion, try request.context()).told
        },
        "abort": { request, client in
            try client.abortUpload(try request.upload(), try request.context())
            return .null
        },
        "list_parts": { request, client in
            let after = request.has("after") ? try request.part("after") : nil
            let page = try client.listParts(
                try request.upload(), after: after, limit: Int(clamping: try request.integer("limit")),
                try request.context())
            return .object([
                "parts": .array(page.parts.map(\.told)), "next": page.next.map { .count($0.value) } ?? .null,
            ])
        },
        "list_uploads": { request, client in
            let after = request.has("after") ? try request.inner("after").upload() : nil
            let page = try client.listUploads(
                prefix: try request.bytes("prefix"), after: after, limit: Int(clamping: try request.integer("limit")),
                try request.context())
            return .object([
                "uploads": .array(page.uploads.map(\.address.told)), "next": page.next.map(\.told) ?? .null,
            ])
        },
    ]
}
