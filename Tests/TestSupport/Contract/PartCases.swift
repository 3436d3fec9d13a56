import ObjectStore

extension ObjectStoreContract {
    static let partCases: [Case] = [
        makeCase("parts may be sent in any order, anew, and with numbers left out") { bench in
            var random = SeededGenerator(seed: 4)
            let pieces = (0..<3).map { _ in random.bytes(bench.partBytes) } + [[1, 2, 3]]
            let numbers = [2, 5, 6, min(bench.store.capabilities.maximumParts, 10_000)]
            let key = bench.key("order")
            let upload = try bench.begin(key)
            var parts: [Int: PartResult] = [:]
            try bench.send(upload, 6, [0, 0])
            for index in [3, 0, 2, 1] { parts[index] = try bench.send(upload, numbers[index], pieces[index]) }
            let whole = Array(pieces.joined())
            try bench.complete(upload, (0..<4).compactMap { parts[$0] }, whole)
            try bench.expectBytes(try bench.get(key).1, whole, "body")
        },
        makeCase("parts that a completion does not name are dropped") { bench in
            let key = bench.key("unnamed")
            let upload = try bench.begin(key)
            try bench.send(upload, 1, [1])
            let part = try bench.send(upload, 2, [2])
            try bench.send(upload, 3, [3])
            try bench.complete(upload, [part], [2])
            try bench.expectEqual(try bench.get(key).1, [2], "body")
        },
        makeCase("a part tells its size and checksum, when sent and when listed") { bench in
            let upload = try bench.begin(bench.key("told"))
            let sent = try bench.send(upload, 9, Array("123456789".utf8))
            try bench.expectEqual(sent.number.value, 9, "number")
            try bench.expectEqual(sent.size, 9, "size")
            if bench.store.capabilities.hasCRC64 {
                try bench.expectEqual(sent.crc64, 0x995D_C9BB_DF19_39FA, "CRC-64")
            }
            try bench.expectEqual(
                try bench.store.listParts(upload, after: nil, limit: 10, .test).parts, [sent], "listed parts")
            try bench.store.abortUpload(upload, .test)
        },
        makeCase("a part with a wrong checksum is corrupted") { bench in
            guard bench.store.capabilities.hasCRC64 else { return }
            let upload = try bench.begin(bench.key("wrong"))
            try bench.expectKind(.corrupted, "part") { try bench.send(upload, 1, [1, 2, 3], crc64: 1) }
            try bench.send(upload, 1, Array("123456789".utf8), crc64: 0x995D_C9BB_DF19_39FA)
            try bench.store.abortUpload(upload, .test)
        },
        makeCase("a part past the most is refused") { bench in
            let most = bench.store.capabilities.maximumParts
            guard most < PartNumber.range.upperBound else { return }
            let upload = try bench.begin(bench.key("many"))
            try bench.send(upload, most, [1])
            try bench.expectKind(.invalidRequest, "part \(most + 1)") { try bench.send(upload, most + 1, [1]) }
            try bench.store.abortUpload(upload, .test)
        },
        makeCase("parts are listed by number, in pages") { bench in
            let upload = try bench.begin(bench.key("paged"))
            let numbers = [1, 2, 3, 7, 9, 10, 11].filter { $0 <= bench.store.capabilities.maximumParts }
            for number in numbers.reversed() { try bench.send(upload, number, [UInt8](repeating: 1, count: number)) }
            for limit in [1, 3, 1000] {
                var found: [PartResult] = []
                var after: PartNumber?
                var pages = 0
                repeat {
                    let page = try bench.store.listParts(upload, after: after, limit: limit, .test)
                    try bench.expect(page.parts.count <= limit, "a page is larger than its limit")
                    found += page.parts
                    after = page.next
                    pages += 1
                } while after != nil && pages < 100
                try bench.expectEqual(found.map(\.number.value), numbers, "numbers by pages of \(limit)")
                try bench.expectEqual(found.map(\.size), numbers.map { Int64($0) }, "sizes")
            }
            let rest = try bench.store.listParts(upload, after: try bench.number(3), limit: 1000, .test)
            try bench.expectEqual(rest.parts.map(\.number.value), numbers.filter { $0 > 3 }, "numbers after 3")
            try bench.store.abortUpload(upload, .test)
        },
    ]

    static let partCopyCases: [Case] = [
        makeCase("parts are copied from ranges of objects, and mixed with sent ones") { bench in
            guard bench.store.capabilities.hasPartCopy else { return }
            var random = SeededGenerator(seed: 5)
            let (size, step) = (bench.partBytes * 2 + 100, bench.partBytes)
            let bytes = random.bytes(size)
            let (source, key) = (bench.key("source /+%"), bench.key("copied"))
            let written = try bench.put(source, bytes)
            let upload = try bench.begin(key)
            let range = Int64(50)..<Int64(50 + step)
            let copied = try bench.store.copyPart(
                upload, try bench.number(1), from: PartCopySource(key: source, range: range, ifMatch: written.etag),
                .test)
            try bench.expectEqual(copied.size, Int64(step), "size of the range")
            let piece = Array(bytes[50..<50 + step])
            if let crc = copied.crc64 { try bench.expectEqual(crc, ContractBench.slowCRC64(piece), "CRC-64 of it") }
            let whole = try bench.store.copyPart(
                upload, try bench.number(2), from: PartCopySource(key: source), .test)
            try bench.expectEqual(whole.size, Int64(size), "size of the whole")
            let sent = try bench.send(upload, 3, [1, 2, 3])
            let expected = piece + bytes + [1, 2, 3]
            try bench.complete(upload, [copied, whole, sent], expected)
            try bench.expectBytes(try bench.get(key).1, expected, "body")
        },
        makeCase("parts may be copied from the very object that the upload replaces") { bench in
            guard bench.store.capabilities.hasPartCopy else { return }
            var random = SeededGenerator(seed: 6)
            let bytes = random.bytes(bench.partBytes + 10)
            let key = bench.key("itself")
            let written = try bench.put(key, bytes)
            let upload = try bench.begin(key)
            let source = PartCopySource(key: key, range: 0..<Int64(bench.partBytes), ifMatch: written.etag)
            let kept = try bench.store.copyPart(upload, try bench.number(1), from: source, .test)
            let new = try bench.send(upload, 2, [8, 9])
            let expected = Array(bytes.prefix(bench.partBytes)) + [8, 9]
            try bench.complete(upload, [kept, new], expected)
            try bench.expectBytes(try bench.get(key).1, expected, "body")
        },
        makeCase("parts of an absent, changed or shorter source say so") { bench in
            guard bench.store.capabilities.hasPartCopy else { return }
            let upload = try bench.begin(bench.key("conditions"))
            let source = bench.key("conditions-source")
            let first = try bench.put(source, [1, 2, 3])
            try bench.put(source, [4, 5, 6])
            func copy(_ from: PartCopySource) throws {
                _ = try bench.store.copyPart(upload, try bench.number(1), from: from, .test)
            }
            try bench.expectKind(.preconditionFailed, "another version") {
                try copy(PartCopySource(key: source, range: 0..<2, ifMatch: first.etag))
            }
            try bench.expectKind(.preconditionFailed, "the whole of another version") {
                try copy(PartCopySource(key: source, ifMatch: first.etag))
            }
            try bench.expectKind(.notFound, "no object") {
                try copy(PartCopySource(key: bench.key("nothing"), range: 0..<2))
            }
            try bench.expectKind(.notFound, "the whole of no object") { try copy(PartCopySource(key: bench.key("no"))) }
            try bench.expectKind(.invalidRange, "a range past the end") {
                try copy(PartCopySource(key: source, range: 3..<5))
            }
            try bench.expectKind(.invalidRequest, "an empty range") {
                try copy(PartCopySource(key: source, range: 1..<1))
            }
            try bench.expectEqual(
                try bench.store.listParts(upload, after: nil, limit: 10, .test).parts, [], "parts after the refusals")
            try bench.store.abortUpload(upload, .test)
        },
    ]
}
