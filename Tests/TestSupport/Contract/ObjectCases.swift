import ObjectStore

extension ObjectStoreContract {
    static let objectCases: [Case] = [
        makeCase("a put object is there, whole, for head, get and list") { bench in
            let key = bench.key("object")
            let bytes = Array("hello world".utf8)
            let written = try bench.put(key, bytes)
            let info = try bench.store.head(key, .test)
            try bench.expectEqual(info.size, 11, "size")
            try bench.expectEqual(info.etag, written.etag, "ETag of head and put")
            try bench.expect(!info.etag.bytes.isEmpty, "an ETag is empty")
            let (got, body) = try bench.get(key)
            try bench.expectBytes(body, bytes, "body")
            try bench.expectEqual(got.etag, written.etag, "ETag of get and put")
            let rows = try bench.list().rows
            try bench.expectEqual(rows.map(\.key), [key], "listed keys")
            try bench.expectEqual(rows.map(\.size), [11], "listed sizes")
            try bench.expectEqual(rows.map(\.etag), [written.etag], "listed ETags")
            try bench.expectEqual(rows.map(\.lastModified), [info.lastModified], "listed times")
            try bench.expectEqual(info.lastModified.nanoseconds, 0, "parts of a second in a server's time")
        },
        makeCase("the CRC-64 is that of the bytes") { bench in
            guard bench.store.capabilities.hasCRC64 else { return }
            let key = bench.key("crc")
            let written = try bench.put(key, Array("123456789".utf8))
            let expected: UInt64 = 0x995D_C9BB_DF19_39FA
            try bench.expectEqual(written.crc64, expected, "CRC-64 of the put's answer")
            try bench.expectEqual(try bench.store.head(key, .test).crc64, expected, "CRC-64 of head")
            try bench.expectEqual(try bench.get(key).0.crc64, expected, "CRC-64 of get")
            try bench.expectEqual(
                try bench.get(key, range: 2..<4).0.crc64, expected, "CRC-64 of the whole at a ranged get")
            var random = SeededGenerator(seed: 64)
            let bytes = random.bytes(70_001)
            try bench.expectEqual(
                try bench.put(key, bytes).crc64, ContractBench.slowCRC64(bytes), "CRC-64 of 70,001 bytes")
        },
        makeCase("an empty object is an object") { bench in
            let key = bench.key("empty")
            let written = try bench.put(key, [])
            let (info, body) = try bench.get(key)
            try bench.expectEqual(info.size, 0, "size")
            try bench.expectEqual(body, [], "body")
            try bench.expectEqual(info.etag, written.etag, "ETag")
            if bench.store.capabilities.hasCRC64 { try bench.expectEqual(info.crc64, 0, "CRC-64 of no bytes") }
        },
        makeCase("a megabyte and a byte come back as they went") { bench in
            var random = SeededGenerator(seed: 1)
            let bytes = random.bytes(1 << 20 | 1)
            let key = bench.key("large")
            try bench.put(key, bytes)
            try bench.expectBytes(try bench.get(key).1, bytes, "body")
        },
        makeCase("a put replaces bytes and metadata") { bench in
            let key = bench.key("replaced")
            let metadata = ObjectMetadata(user: ["colour": Array("red".utf8)])
            let first = try bench.put(key, Array("first version".utf8), metadata: metadata)
            let second = try bench.put(key, Array("second".utf8))
            try bench.expect(first.etag != second.etag, "other bytes have the same ETag")
            let (info, body) = try bench.get(key)
            try bench.expectBytes(body, Array("second".utf8), "body")
            try bench.expectEqual(info.metadata.user, [:], "metadata of the first version in the second")
        },
        makeCase("metadata comes back as it went") { bench in
            let key = bench.key("metadata")
            let metadata = ObjectMetadata(
                contentType: Array("image/x-test".utf8),
                contentHeaders: [
                    "cache-control": Array("max-age=3600".utf8),
                    "content-disposition": Array("attachment; filename=\"a b.txt\"".utf8),
                    "content-language": Array("de".utf8),
                ],
                user: [
                    "mode": Array("33188".utf8), "mtime": Array("1700000000.123456789".utf8),
                    "with-hyphen": Array("a b=c; d,e \"f\" %41 +".utf8),
                ])
            try bench.put(key, [1, 2, 3], metadata: metadata)
            for info in [try bench.store.head(key, .test), try bench.get(key).0] {
                try bench.expectEqual(info.metadata.contentType, metadata.contentType, "content type")
                try bench.expectEqual(info.metadata.contentHeaders, metadata.contentHeaders, "content headers")
                try bench.expectEqual(info.metadata.user, metadata.user, "user metadata")
            }
        },
        makeCase("an absent object is notFound for head, get and copy, and for nothing else") { bench in
            let key = bench.key("absent")
            try bench.expectKind(.notFound, "head") { _ = try bench.store.head(key, .test) }
            try bench.expectKind(.notFound, "get") { _ = try bench.get(key) }
            try bench.expectKind(.notFound, "ranged get") { _ = try bench.get(key, range: 0..<1) }
            try bench.expectKind(.notFound, "copy") {
                _ = try bench.store.copy(CopyRequest(source: key, destination: bench.key("copy")), .test)
            }
            try bench.expectEqual(try bench.list(), ListPage(rows: [], serverDate: try bench.list().serverDate), "list")
        },
        makeCase("an object is absent as a prefix of another") { bench in
            try bench.put(bench.key("a/b"), [1])
            try bench.expectKind(.notFound, "head of a") { _ = try bench.store.head(bench.key("a"), .test) }
            try bench.expectKind(.notFound, "head of a/") { _ = try bench.store.head(bench.key("a/"), .test) }
        },
        makeCase("a deleted object is gone, and deleting it again is no error") { bench in
            let key = bench.key("deleted")
            try bench.put(key, [1])
            try bench.store.delete(key, .test)
            try bench.expectKind(.notFound, "head") { _ = try bench.store.head(key, .test) }
            try bench.expectEqual(try bench.list().rows, [], "listing")
            try bench.store.delete(key, .test)
            try bench.store.delete(bench.key("never there"), .test)
        },
        makeCase("the bucket answers a probe") { bench in try bench.store.probe(.test) },
        makeCase("a body with a wrong checksum is corrupted") { bench in
            guard bench.store.capabilities.hasCRC64 else { return }
            let request = PutRequest(key: bench.key("wrong"))
            try bench.expectKind(.corrupted, "put") {
                _ = try bench.store.put(request, body: BytesBody([1, 2, 3], crc64: 1), .test)
            }
            let good = BytesBody(Array("123456789".utf8), crc64: 0x995D_C9BB_DF19_39FA)
            _ = try bench.store.put(request, body: good, .test)
        },
        makeCase("answers carry the server's date where it sends one") { bench in
            let key = bench.key("dated")
            let written = try bench.put(key, [1])
            let info = try bench.store.head(key, .test)
            guard let date = info.serverDate, let before = written.serverDate else { return }
            try bench.expect(before.seconds <= date.seconds, "the server's date goes back")
            let age = date.seconds - info.lastModified.seconds
            try bench.expect((0...60).contains(age), "Last-Modified is \(age) seconds before the server's date")
        },
    ]
}
