import ObjectStore

extension ObjectStoreContract {
    private static func tag(_ key: String, _ value: String) -> ObjectTag {
        ObjectTag(key: Array(key.utf8), value: Array(value.utf8))
    }

    static let annotationCases: [Case] = [
        makeCase("tags are put, given back, replaced and taken away, and the object stays as it was") { bench in
            let key = bench.key("tagged")
            try bench.put(key, [1], metadata: ObjectMetadata(user: ["a": [65]]))
            guard try bench.has(.tags, { _ = try bench.store.tags(key, .test) }) else { return }
            let before = try bench.store.head(key, .test)
            try bench.expectEqual(try bench.store.tags(key, .test), [], "tags at first")
            let first = [tag("a", "1"), tag("b c", "d/e"), tag("empty", ""), tag("中文", "<&>+-=._:/")]
            try bench.store.putTags(first, of: key, .test)
            try bench.expectEqual(Set(try bench.store.tags(key, .test)), Set(first), "tags")
            try bench.store.putTags([tag("new", "v")], of: key, .test)
            try bench.expectEqual(try bench.store.tags(key, .test), [tag("new", "v")], "tags replaced")
            let after = try bench.store.head(key, .test)
            try bench.expectEqual(after.etag, before.etag, "ETag")
            try bench.expectEqual(after.lastModified, before.lastModified, "Last-Modified")
            try bench.expectEqual(after.metadata, before.metadata, "metadata")
            try bench.store.deleteTags(of: key, .test)
            try bench.store.deleteTags(of: key, .test)
            try bench.expectEqual(try bench.store.tags(key, .test), [], "tags taken away")
        },
        makeCase("too many tags are refused, and those of nothing are notFound") { bench in
            guard bench.store.capabilities.features.contains(.tags) else { return }
            let (key, nothing) = (bench.key("tagged"), bench.key("nothing"))
            try bench.put(key, [1])
            try bench.expectKind(.invalidRequest, "eleven tags") {
                try bench.store.putTags((0..<11).map { tag("\($0)", "v") }, of: key, .test)
            }
            try bench.expectKind(.notFound, "tags of nothing") { _ = try bench.store.tags(nothing, .test) }
            try bench.expectKind(.notFound, "tagging nothing") {
                try bench.store.putTags([tag("a", "b")], of: nothing, .test)
            }
        },
        makeCase("an access list is put and given back, and a put begins with the bucket's") { bench in
            let key = bench.key("public")
            try bench.put(key, [1])
            guard try bench.has(.acl, { _ = try bench.store.acl(key, .test) }) else { return }
            try bench.expectEqual(try bench.store.acl(key, .test), Array("default".utf8), "at first")
            for word in ["public-read", "private", "public-read-write", "default"] {
                try bench.store.putACL(Array(word.utf8), of: key, .test)
                try bench.expectEqual(try bench.store.acl(key, .test), Array(word.utf8), word)
            }
            try bench.store.putACL(Array("public-read".utf8), of: key, .test)
            try bench.put(key, [2])
            try bench.expectEqual(try bench.store.acl(key, .test), Array("default".utf8), "after a put")
            try bench.expectKind(.notFound, "of nothing") { _ = try bench.store.acl(bench.key("nothing"), .test) }
            try bench.expectKind(.invalidRequest, "a word that is none") {
                try bench.store.putACL(Array("everyone".utf8), of: key, .test)
            }
        },
        makeCase("only what is archived is restored") { bench in
            let key = bench.key("standard")
            try bench.put(key, [1])
            try bench.expectKind(.unsupported, "restore") {
                _ = try bench.store.restore(RestoreRequest(key: key, days: 1), .test)
            }
            guard bench.store.capabilities.features.contains(.restore) else { return }
            try bench.expectKind(.notFound, "restore of nothing") {
                _ = try bench.store.restore(RestoreRequest(key: bench.key("nothing")), .test)
            }
        },
        makeCase("an archived object is read once it is restored") { bench in
            guard bench.store.capabilities.features.contains(.restore) else { return }
            let key = bench.key("archived")
            let request = PutRequest(key: key, properties: ObjectProperties(storageClass: Array("ColdArchive".utf8)))
            _ = try bench.store.put(request, body: BytesBody([1]), .test)
            try bench.expectKind(.archived, "get before") { _ = try bench.get(key) }
            let wish = RestoreRequest(key: key, days: 2, tier: .standard)
            try bench.expectEqual(try bench.store.restore(wish, .test), .begun, "the first")
            try bench.expectEqual(try bench.get(key).1, [1], "body")
            try bench.expectEqual(try bench.store.head(key, .test).restoration?.isOngoing, false, "whether it goes on")
            try bench.expect(try bench.store.head(key, .test).restoration?.expiry != nil, "no expiry is told")
            try bench.expectEqual(try bench.store.restore(wish, .test), .readable, "the second")
        },
        makeCase("what a bucket holds and is, it tells") { bench in
            guard try bench.has(.reports, { _ = try bench.store.usage(.test) }) else { return }
            let before = try bench.store.usage(.test)
            let key = bench.key("counted")
            try bench.store.delete(key, .test)
            try bench.put(key, [UInt8](repeating: 7, count: 1000))
            let after = try bench.store.usage(.test)
            // The service may count late: never less than there was, never more than there is.
            try bench.expect(
                after.bytes >= before.bytes && after.bytes <= before.bytes + 1000, "\(after) after \(before)")
            try bench.expect((0...1).contains(after.objects - before.objects), "\(after) after \(before)")
            try bench.expect(!(try bench.store.description(.test)).location.isEmpty, "the location is empty")
        },
        makeCase("processing gives a stream, or says that there is none") { bench in
            let key = bench.key("picture")
            try bench.put(key, Array("no picture".utf8))
            try bench.expectKind(.unsupported, "an instruction that is none") {
                try bench.store.process(key, Array("nosuch/thing".utf8), into: StreamCollector(), .test)
            }
        },
    ]
}
