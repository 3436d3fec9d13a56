import ObjectStore

extension ObjectStoreContract {
    static let completionCases: [Case] = [
        makeCase("a completed upload is one object, whole, and none before") { bench in
            let key = bench.key("object")
            try bench.store.delete(key, .test)
            let (upload, parts, bytes) = try bench.twoParts(key, seed: 1)
            try bench.expectAbsent(key, "head before the completion")
            try bench.expectEqual(try bench.list().rows, [], "listing before the completion")
            let written = try bench.complete(upload, parts, bytes)
            let (info, body) = try bench.get(key)
            try bench.expectBytes(body, bytes, "body")
            try bench.expectEqual(info.etag, written.etag, "ETag")
            try bench.expectEqual(info.type, .multipart, "type")
            if bench.store.capabilities.hasCRC64 {
                try bench.expectEqual(written.crc64, ContractBench.slowCRC64(bytes), "CRC-64 of the answer")
                try bench.expectEqual(info.crc64, written.crc64, "CRC-64 of get")
            }
            try bench.expectKind(.noSuchUpload, "parts of a completed upload") {
                _ = try bench.store.listParts(upload, after: nil, limit: 10, .test)
            }
        },
        makeCase("an upload has the metadata that it was begun with") { bench in
            let key = bench.key("metadata")
            let metadata = ObjectMetadata(
                contentType: Array("video/x-test".utf8), contentHeaders: ["cache-control": Array("no-cache".utf8)],
                user: ["mtime": Array("1700000000.123456789".utf8)])
            let upload = try bench.begin(key, metadata: metadata)
            let part = try bench.send(upload, 1, [1, 2, 3])
            try bench.complete(upload, [part], [1, 2, 3])
            try bench.expectEqual(try bench.store.head(key, .test).metadata, metadata, "metadata")
        },
        makeCase("an upload replaces an object at its completion and not before") { bench in
            let key = bench.key("replaced")
            try bench.put(key, [9, 9], metadata: ObjectMetadata(user: ["old": [65]]))
            let upload = try bench.begin(key)
            let part = try bench.send(upload, 1, [1])
            try bench.expectEqual(try bench.get(key).1, [9, 9], "body before the completion")
            try bench.complete(upload, [part], [1])
            let (info, body) = try bench.get(key)
            try bench.expectEqual(body, [1], "body")
            try bench.expectEqual(info.metadata.user, [:], "metadata of the old object in the new one")
        },
        makeCase("an upload with small parts, wrong parts or none is refused, and goes on") { bench in
            let key = bench.key("refused")
            try bench.store.delete(key, .test)
            let (upload, parts, bytes) = try bench.twoParts(key, seed: 2)
            let small = try bench.send(upload, 3, [7])
            var wrong = parts[0]
            wrong.etag = ETag(Array("\"0123456789ABCDEF0123456789ABCDEF\"".utf8))
            var absent = parts[0]
            absent.number = try bench.number(77)
            for (what, list) in [
                ("a small part before another", parts + [small]), ("parts out of order", parts.reversed()),
                ("a part twice", [parts[0], parts[0]]), ("another ETag", [wrong, parts[1]]),
                ("a part that isn't there", [parts[0], absent]), ("no parts", []),
            ] {
                try bench.expectKind(.invalidRequest, what) { try bench.complete(upload, list, bytes) }
            }
            try bench.expectAbsent(key, "head after the refusals")
            try bench.complete(upload, parts, bytes)
            try bench.expectBytes(try bench.get(key).1, bytes, "body")
        },
        makeCase("an upload that must not overwrite leaves an object alone, and goes on") { bench in
            guard bench.store.capabilities.hasExclusiveCreate else { return }
            let key = bench.key("exclusive")
            try bench.put(key, [4])
            let upload = try bench.begin(key)
            let part = try bench.send(upload, 1, [5, 6])
            try bench.expectKind(.alreadyExists, "completion over an object") {
                try bench.complete(upload, [part], [5, 6], forbidOverwrite: true)
            }
            try bench.expectEqual(try bench.get(key).1, [4], "body after the refusal")
            try bench.store.delete(key, .test)
            try bench.complete(upload, [part], [5, 6], forbidOverwrite: true)
            try bench.expectEqual(try bench.get(key).1, [5, 6], "body")
        },
        makeCase("an upload with another checksum than expected is corrupted") { bench in
            guard bench.store.capabilities.hasCRC64 else { return }
            let key = bench.key("checksum")
            let upload = try bench.begin(key)
            let part = try bench.send(upload, 1, [1])
            let request = CompleteRequest(address: upload, parts: [CompletedPart(part)], size: 1, crc64: 12345)
            try bench.expectKind(.corrupted, "completion") { _ = try bench.store.completeUpload(request, .test) }
            try bench.expectEqual(try bench.get(key).1, [1], "what the server has")
        },
        makeCase("an upload that may be done is done where its object is there") { bench in
            let key = bench.key("done")
            let metadata = ObjectMetadata(user: ["id": Array("7".utf8)])
            let upload = try bench.begin(key, metadata: metadata)
            let part = try bench.send(upload, 1, [1, 2])
            var request = CompleteRequest(
                address: upload, parts: [CompletedPart(part)], size: 2, crc64: ContractBench.slowCRC64([1, 2]),
                metadata: metadata, mayBeDone: true)
            // Not yet done, it is done now.
            let written = try bench.store.completeUpload(request, .test)
            try bench.expectEqual(try bench.store.completeUpload(request, .test).etag, written.etag, "ETag")
            request.mayBeDone = false
            try bench.expectKind(.noSuchUpload, "who knows of no earlier completion") {
                _ = try bench.store.completeUpload(request, .test)
            }
            request.mayBeDone = true
            request.metadata = ObjectMetadata(user: ["id": Array("8".utf8)])
            try bench.expectKind(.noSuchUpload, "an object with another id") {
                _ = try bench.store.completeUpload(request, .test)
            }
            request.metadata = nil
            try bench.put(key, [3, 4])
            try bench.expectKind(.noSuchUpload, "an object of other bytes") {
                _ = try bench.store.completeUpload(request, .test)
            }
        },
        makeCase("an upload that was never begun, or is of another key, is noSuchUpload for every call") { bench in
            let other = try bench.begin(bench.key("other"))
            let part = try bench.send(other, 1, [1])
            try bench.put(bench.key("source"), [1, 2, 3])
            for address in [
                UploadAddress(key: bench.key("never"), id: UploadID("0123456789ABCDEF".utf8)),
                UploadAddress(key: bench.key("never"), id: other.id),
            ] {
                try bench.expectKind(.noSuchUpload, "a part") { try bench.send(address, 1, [1]) }
                try bench.expectKind(.noSuchUpload, "a list") {
                    _ = try bench.store.listParts(address, after: nil, limit: 10, .test)
                }
                try bench.expectKind(.noSuchUpload, "a completion") { try bench.complete(address, [part], [1]) }
                if bench.store.capabilities.hasPartCopy {
                    try bench.expectKind(.noSuchUpload, "a copied part") {
                        _ = try bench.store.copyPart(
                            address, try bench.number(1), from: PartCopySource(key: bench.key("source"), range: 0..<2),
                            .test)
                    }
                }
                try bench.store.abortUpload(address, .test)
            }
            try bench.expectEqual(
                try bench.store.listParts(other, after: nil, limit: 10, .test).parts.map(\.number), [part.number],
                "the other upload's parts")
            try bench.store.abortUpload(other, .test)
        },
        makeCase("an aborted upload is gone, and aborting it again is no error") { bench in
            let key = bench.key("aborted")
            try bench.store.delete(key, .test)
            let (upload, parts, bytes) = try bench.twoParts(key, seed: 3)
            try bench.store.abortUpload(upload, .test)
            try bench.store.abortUpload(upload, .test)
            try bench.expectKind(.noSuchUpload, "completion") { try bench.complete(upload, parts, bytes) }
            try bench.expectAbsent(key, "head")
            try bench.expect(!(try bench.uploads().contains(upload)), "the upload is still listed")
        },
    ]
}
