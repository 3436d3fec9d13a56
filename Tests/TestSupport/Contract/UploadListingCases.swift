import ObjectStore

extension ObjectStoreContract {
    static let uploadListingCases: [Case] = [
        makeCase("uploads are listed by key and id, in pages, until completed or aborted") { bench in
            for upload in try bench.uploads() { try bench.store.abortUpload(upload, .test) }
            var begun: [UploadAddress] = []
            for name in ["b", "a", "a/x", "c", "a", "a"] { begun.append(try bench.begin(bench.key(name))) }
            let sorted = begun.sorted { left, right in
                left.key == right.key
                    ? left.id.bytes.lexicographicallyPrecedes(right.id.bytes) : left.key < right.key
            }
            for limit in [1, 2, 1000] {
                try bench.expectEqual(try bench.uploads(limit: limit), sorted, "uploads by pages of \(limit)")
            }
            try bench.expectEqual(
                try bench.uploads(Array("a".utf8), limit: 2), sorted.filter { $0.key != begun[0].key }.dropLast(),
                "uploads under a prefix")
            let marker = UploadAddress(key: bench.key("a"), id: UploadID([]))
            let after = try bench.store.listUploads(
                prefix: Array(bench.prefix.utf8), after: marker, limit: 1000, .test)
            try bench.expectEqual(
                after.uploads.map(\.address.key), [bench.key("a/x"), bench.key("b"), bench.key("c")],
                "uploads after all of a key")
            let part = try bench.send(begun[0], 1, [1])
            try bench.complete(begun[0], [part], [1])
            try bench.store.abortUpload(begun[3], .test)
            try bench.expectEqual(
                try bench.uploads(), sorted.filter { $0 != begun[0] && $0 != begun[3] }, "uploads in the end")
            for upload in try bench.uploads() { try bench.store.abortUpload(upload, .test) }
            try bench.expectEqual(try bench.uploads(), [], "uploads after all were aborted")
        },
        makeCase("uploads tell when they were begun, by the server's clock") { bench in
            let upload = try bench.begin(bench.key("dated"))
            let page = try bench.store.listUploads(
                prefix: upload.key.bytes, after: nil, limit: 1000, .test)
            guard let row = page.uploads.first(where: { $0.address == upload }) else {
                throw TestFailure("the upload is not listed")
            }
            try bench.expectEqual(row.initiated.nanoseconds, 0, "parts of a second in a server's time")
            if let date = page.serverDate {
                let age = date.seconds - row.initiated.seconds
                try bench.expect((0...60).contains(age), "it was begun \(age) seconds before the server's date")
            }
            try bench.store.abortUpload(upload, .test)
        },
        makeCase("uploads of odd keys go there and back byte by byte") { bench in
            for upload in try bench.uploads() { try bench.store.abortUpload(upload, .test) }
            let names: [[UInt8]] = [
                Array("\u{E9}".utf8), Array("e\u{301}".utf8), Array("a\r\nb".utf8), Array(" blank ".utf8),
                Array("+ % # ? & ~ '\"<>|\\*;=@,!()[]{}^`$".utf8), Array("中文/图片.jpg".utf8), Array("a//b".utf8),
                Array("./x/../y".utf8), Array("%41".utf8), [0x01, 0x1F, 0x7F], Array("&amp;]]>".utf8),
            ]
            var begun: [UploadAddress] = []
            for name in names { begun.append(try bench.begin(bench.key(name))) }
            try bench.expectEqual(
                try bench.uploads(limit: 3).map(\.key), names.map { bench.key($0) }.sorted(), "listed keys")
            for (number, upload) in begun.enumerated() {
                let bytes = [UInt8(number), 0xFF]
                let part = try bench.send(upload, 1, bytes)
                try bench.expectEqual(
                    try bench.store.listParts(upload, after: nil, limit: 1, .test).parts, [part], "listed parts")
                try bench.complete(upload, [part], bytes)
                try bench.expectEqual(try bench.get(upload.key).1, bytes, "body of \(upload.key.bytes)")
            }
        },
    ]

    static let propertyCases: [Case] = [
        makeCase("an object has the storage class, encryption and tags that it was put with") { bench in
            let properties = ObjectProperties(
                acl: Array("private".utf8),
                tagging: [
                    ObjectTag(key: Array("a b".utf8), value: Array("c=d&e+f".utf8)),
                    ObjectTag(key: Array("empty".utf8), value: []),
                ],
                storageClass: Array("IA".utf8), encryption: ObjectEncryption(algorithm: Array("AES256".utf8)))
            let (put, sent) = (bench.key("put"), bench.key("sent"))
            _ = try bench.store.put(PutRequest(key: put, properties: properties), body: BytesBody([1]), .test)
            let upload = try bench.begin(sent, properties: properties)
            let part = try bench.send(upload, 1, [1])
            try bench.complete(upload, [part], [1])
            for key in [put, sent] {
                let info = try bench.store.head(key, .test)
                try bench.expectEqual(info.storageClass, Array("IA".utf8), "storage class")
                try bench.expectEqual(info.encryption, properties.encryption, "encryption")
                try bench.expectEqual(info.taggingCount, 2, "number of tags")
            }
            try bench.put(put, [2])
            let info = try bench.store.head(put, .test)
            try bench.expectEqual(info.taggingCount, 0, "tags after a put without")
            try bench.expectEqual(info.encryption, nil, "encryption after a put without")
        },
        makeCase("a copy keeps the tags unless it is to have others, and has a class of its own") { bench in
            let source = bench.key("source")
            let tags = [ObjectTag(key: [65], value: [66]), ObjectTag(key: [67], value: [68])]
            let properties = ObjectProperties(tagging: tags, storageClass: Array("IA".utf8))
            _ = try bench.store.put(PutRequest(key: source, properties: properties), body: BytesBody([1]), .test)
            func copy(_ properties: ObjectProperties, replaces: Bool) throws -> ObjectInfo {
                let request = CopyRequest(
                    source: source, destination: bench.key("copy"), properties: properties, taggingReplaces: replaces)
                _ = try bench.store.copy(request, .test)
                return try bench.store.head(bench.key("copy"), .test)
            }
            let one = ObjectProperties(tagging: [tags[0]], storageClass: Array("IA".utf8))
            let kept = try copy(one, replaces: false)
            try bench.expectEqual(kept.taggingCount, 2, "kept tags")
            try bench.expectEqual(kept.storageClass, Array("IA".utf8), "storage class")
            try bench.expectEqual(try copy(one, replaces: true).taggingCount, 1, "replaced tags")
            try bench.expectEqual(try copy(ObjectProperties(), replaces: true).taggingCount, 0, "no tags")
            try bench.expectEqual(
                try copy(ObjectProperties(), replaces: false).storageClass, Array("Standard".utf8), "the bucket's class"
            )
        },
    ]
}
