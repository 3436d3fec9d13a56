import Encoding
import ObjectStore
import TestSupport

/// The further families of calls.
enum FamilyCalls {
    static let all: [String: Calls.Call] = [
        "delete_many": { request, client in
            let keys = try request.list("keys").map { ObjectKey(try CallParameters.bytes($0, "keys")) }
            try client.deleteMany(keys, try request.context())
            return .null
        },
        "append": { request, client in
            let append = AppendRequest(
                key: try request.key(), position: try request.integer("position"), crc64: try request.crc64(),
                metadata: try request.metadata())
            let result = try client.append(append, body: try request.body(), try request.context())
            return .object(["position": .integer(result.position), "crc64": .crc(result.crc64)])
        },
        "put_link": { request, client in
            let link = LinkRequest(
                key: try request.key(), target: try request.key("target"), metadata: try request.metadata(),
                forbidOverwrite: try request.flag("forbid_overwrite"))
            try client.putLink(link, try request.context())
            return .null
        },
        "link": { request, client in
            let link = try client.link(try request.key(), try request.context())
            return .object(["target": .hex(link.target.bytes), "user": .map(link.user)])
        },
        "meta": { request, client in try client.meta(try request.key(), try request.context()).told },
        "tags": { request, client in
            .array(
                try client.tags(try request.key(), try request.context()).map {
                    .object(["key": .hex($0.key), "value": .hex($0.value)])
                })
        },
        "put_tags": { request, client in
            try client.putTags(try request.tags(), of: try request.key(), try request.context())
            return .null
        },
        "delete_tags": { request, client in
            try client.deleteTags(of: try request.key(), try request.context())
            return .null
        },
        "acl": { request, client in .hex(try client.acl(try request.key(), try request.context())) },
        "put_acl": { request, client in
            try client.putACL(try request.bytes("acl"), of: try request.key(), try request.context())
            return .null
        },
        "restore": { request, client in
            let days = try request.integerIfGiven("days").map { Int(clamping: $0) }
            let outcome = try client.restore(RestoreRequest(key: try request.key(), days: days), try request.context())
            return .string("\(outcome)")
        },
        "list_versions": { request, client in
            var after: VersionMarker?
            if let key = try request.bytesIfGiven("after_key") {
                after = VersionMarker(
                    key: ObjectKey(key), version: try request.bytesIfGiven("after_version").map { VersionID($0) })
            }
            let listing = VersionListRequest(
                prefix: try request.bytes("prefix"), foldsDirectories: try request.flag("folds"), after: after,
                limit: Int(clamping: try request.integer("limit")))
            return try client.listVersions(listing, try request.context()).told
        },
        "process": { request, client in
            let receiver = StreamCollector()
            try client.process(
                try request.key(), try request.bytes("instructions"), into: receiver, try request.context())
            try request.keep(receiver.bytes)
            return receiver.contentType.map { .hex($0) } ?? .null
        },
        "usage": { request, client in
            let usage = try client.usage(try request.context())
            return .object([
                "bytes": .integer(usage.bytes), "objects": .integer(usage.objects), "uploads": .integer(usage.uploads),
            ])
        },
        "description": { request, client in
            let description = try client.description(try request.context())
            return .object([
                "location": .hex(description.location), "storage_class": .hex(description.storageClass),
                "versioning": .string("\(description.versioning)"),
            ])
        },
    ]
}
