import ObjectStore

extension ObjectStoreContract {
    static let rangeCases: [Case] = [
        makeCase("ranges give exactly their bytes, cut at the end") { bench in
            let key = bench.key("ranges")
            let bytes = (0..<1000).map { UInt8($0 % 251) }
            try bench.put(key, bytes)
            let ranges: [ByteRange] = [0..<1, 0..<1000, 1..<2, 500..<501, 999..<1000, 0..<2000, 999..<5000, 10..<20]
            for range in ranges {
                let (info, body) = try bench.get(key, range: range)
                let expected = bytes[Int(range.lowerBound)..<min(Int(range.upperBound), 1000)]
                try bench.expectBytes(body, expected, "range \(range)")
                try bench.expectEqual(info.size, 1000, "size of the whole at range \(range)")
            }
        },
        makeCase("a range of a large object is that range") { bench in
            var random = SeededGenerator(seed: 2)
            let bytes = random.bytes(3 << 20)
            let key = bench.key("large")
            try bench.put(key, bytes)
            for range in [0..<(1 << 20), (1 << 20) - 1..<(2 << 20) + 1, (3 << 20) - 1..<(3 << 20)] as [ByteRange] {
                let (_, body) = try bench.get(key, range: range)
                try bench.expectBytes(body, bytes[Int(range.lowerBound)..<Int(range.upperBound)], "range \(range)")
            }
        },
        makeCase("a range at or past the end is invalidRange") { bench in
            let key = bench.key("short")
            try bench.put(key, [1, 2, 3])
            for range in [3..<4, 4..<10, 1000..<2000] as [ByteRange] {
                try bench.expectKind(.invalidRange, "range \(range)") { _ = try bench.get(key, range: range) }
            }
            try bench.put(key, [])
            try bench.expectKind(.invalidRange, "a range of no bytes") { _ = try bench.get(key, range: 0..<1) }
        },
    ]

    static let conditionCases: [Case] = [
        makeCase("a get of a version gives it or preconditionFailed") { bench in
            let key = bench.key("version")
            let first = try bench.put(key, Array("first".utf8))
            try bench.expectBytes(try bench.get(key, ifMatch: first.etag).1, Array("first".utf8), "the version")
            try bench.expectBytes(
                try bench.get(key, range: 1..<3, ifMatch: first.etag).1, Array("ir".utf8), "a range of it")
            let second = try bench.put(key, Array("second".utf8))
            try bench.expectKind(.preconditionFailed, "whole") { _ = try bench.get(key, ifMatch: first.etag) }
            try bench.expectKind(.preconditionFailed, "range") {
                _ = try bench.get(key, range: 0..<1, ifMatch: first.etag)
            }
            try bench.expectBytes(try bench.get(key, ifMatch: second.etag).1, Array("second".utf8), "the new one")
            try bench.store.delete(key, .test)
            try bench.expectKind(.notFound, "deleted") { _ = try bench.get(key, ifMatch: second.etag) }
        },
        makeCase("forbidding to overwrite leaves an existing object alone") { bench in
            guard bench.store.capabilities.hasExclusiveCreate else { return }
            let key = bench.key("exclusive")
            try bench.store.delete(key, .test)
            try bench.put(key, [1], forbidOverwrite: true)
            try bench.expectKind(.alreadyExists, "the second") { _ = try bench.put(key, [2], forbidOverwrite: true) }
            try bench.expectEqual(try bench.get(key).1, [1], "body")
            try bench.put(key, [3])
            try bench.expectEqual(try bench.get(key).1, [3], "body after an ordinary put")
            try bench.store.delete(key, .test)
            try bench.put(key, [4], forbidOverwrite: true)
            try bench.expectEqual(try bench.get(key).1, [4], "body after the delete")
        },
    ]

    static let copyCases: [Case] = [
        makeCase("a copy keeps bytes and metadata") { bench in
            let (source, destination) = (bench.key("source"), bench.key("destination"))
            let metadata = ObjectMetadata(
                contentType: Array("text/x-copy".utf8), contentHeaders: ["cache-control": Array("no-store".utf8)],
                user: ["mode": Array("33152".utf8)])
            try bench.put(source, Array("copied".utf8), metadata: metadata)
            let result = try bench.store.copy(CopyRequest(source: source, destination: destination), .test)
            let (info, body) = try bench.get(destination)
            try bench.expectBytes(body, Array("copied".utf8), "body")
            try bench.expectEqual(info.metadata, metadata, "metadata")
            try bench.expectEqual(info.etag, result.etag, "ETag")
            if bench.store.capabilities.hasCRC64 {
                try bench.expectEqual(info.crc64, ContractBench.slowCRC64("copied".utf8), "CRC-64")
            }
            try bench.expectBytes(try bench.get(source).1, Array("copied".utf8), "the source afterwards")
        },
        makeCase("a copy with other metadata has those alone") { bench in
            let (source, destination) = (bench.key("source"), bench.key("destination"))
            let old = ObjectMetadata(contentType: Array("text/x-old".utf8), user: ["old": Array("1".utf8)])
            let new = ObjectMetadata(contentType: Array("text/x-new".utf8), user: ["new": Array("2".utf8)])
            try bench.put(source, [1, 2], metadata: old)
            let request = CopyRequest(source: source, destination: destination, replacing: new)
            _ = try bench.store.copy(request, .test)
            try bench.expectEqual(try bench.store.head(destination, .test).metadata, new, "metadata of the copy")
            try bench.expectEqual(try bench.store.head(source, .test).metadata, old, "metadata of the source")
        },
        makeCase("a copy onto itself changes metadata and keeps the bytes") { bench in
            let key = bench.key("self")
            let new = ObjectMetadata(contentType: Array("text/x-new".utf8), user: ["mtime": Array("12.5".utf8)])
            let written = try bench.put(key, Array("kept".utf8), metadata: ObjectMetadata(user: ["old": [65]]))
            let request = CopyRequest(source: key, destination: key, sourceIfMatch: written.etag, replacing: new)
            let result = try bench.store.copy(request, .test)
            let (info, body) = try bench.get(key)
            try bench.expectBytes(body, Array("kept".utf8), "body")
            try bench.expectEqual(info.metadata, new, "metadata")
            try bench.expectEqual(info.etag, result.etag, "ETag")
        },
        makeCase("a copy of a version is of that version or preconditionFailed") { bench in
            let (source, destination) = (bench.key("source"), bench.key("destination"))
            try bench.store.delete(destination, .test)
            let first = try bench.put(source, [1])
            try bench.put(source, [2])
            let request = CopyRequest(source: source, destination: destination, sourceIfMatch: first.etag)
            try bench.expectKind(.preconditionFailed, "copy") { _ = try bench.store.copy(request, .test) }
            try bench.expectKind(.notFound, "head of the copy") { _ = try bench.store.head(destination, .test) }
        },
        makeCase("a copy that must not overwrite leaves an existing object alone") { bench in
            guard bench.store.capabilities.hasExclusiveCreate else { return }
            let (source, destination) = (bench.key("source"), bench.key("destination"))
            try bench.put(source, [1])
            try bench.put(destination, [2])
            let request = CopyRequest(source: source, destination: destination, forbidOverwrite: true)
            try bench.expectKind(.alreadyExists, "copy") { _ = try bench.store.copy(request, .test) }
            try bench.expectEqual(try bench.get(destination).1, [2], "body")
            try bench.store.delete(destination, .test)
            _ = try bench.store.copy(request, .test)
            try bench.expectEqual(try bench.get(destination).1, [1], "body after the delete")
        },
    ]
}
