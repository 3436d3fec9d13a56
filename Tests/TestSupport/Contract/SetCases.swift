import ObjectStore

extension ObjectStoreContract {
    static let setCases: [Case] = [
        makeCase("many objects are deleted at once, and nothing else") { bench in
            try bench.clear()
            let keys = (0..<20).map { bench.key("many/\($0)") }
            for key in keys { try bench.put(key, [1]) }
            let kept = bench.key("many-kept")
            try bench.put(kept, [2])
            try bench.store.deleteMany(keys + [bench.key("never there")] + keys.prefix(3), .test)
            try bench.expectEqual(try bench.list().rows.map(\.key), [kept], "what is left")
        },
        makeCase("objects of all odd names are deleted at once") { bench in
            try bench.clear()
            let names = (oddNames + controlNames).map(\.bytes)
            let noPaths = ["a//b", "./c", "../d", "e/", "<xml>&amp;</xml>", "]]>"].map { Array($0.utf8) }
            let keys = (names + noPaths + [Array("\u{FFFF} \u{FFFE}".utf8)]).map { bench.key($0) }
            for key in keys { try bench.put(key, key.bytes) }
            let neighbours = names.map { bench.key($0 + Array(".kept".utf8)) }
            for key in neighbours { try bench.put(key, [1]) }
            try bench.store.deleteMany(keys, .test)
            try bench.expectEqual(try bench.list().rows.map(\.key), neighbours.sorted(), "what is left")
        },
        makeCase("more keys than a request takes are deleted") { bench in
            try bench.clear()
            let keys = [0, 999, 1000, 1001, 2499].map { bench.key("\($0)") }
            for key in keys { try bench.put(key, []) }
            try bench.store.deleteMany((0..<2500).map { bench.key("\($0)") }, .test)
            try bench.expectEqual(try bench.list().rows, [], "what is left")
        },
        makeCase("deleting no objects is done") { bench in try bench.store.deleteMany([], .test) },
    ]

    static let appendCases: [Case] = [
        makeCase("an object grows by appends, and its checksum with it") { bench in
            guard try bench.has(.append, { try bench.append(bench.key("k"), at: 0, [1]) }) else { return }
            let key = bench.key("grows")
            try bench.store.delete(key, .test)
            var whole: [UInt8] = []
            var crc: UInt64? = 0
            let pieces: [[UInt8]] = [Array("one".utf8), [], (0..<255).map { UInt8($0) }, Array("last".utf8)]
            for (number, piece) in pieces.enumerated() {
                let metadata = ObjectMetadata(
                    contentType: Array("text/x-log".utf8), user: ["piece": Array("\(number)".utf8)])
                let request = AppendRequest(key: key, position: Int64(whole.count), crc64: crc, metadata: metadata)
                let result = try bench.store.append(request, body: BytesBody(piece), .test)
                whole += piece
                try bench.expectEqual(result.position, Int64(whole.count), "position after piece \(number)")
                if bench.store.capabilities.hasCRC64 {
                    try bench.expectEqual(result.crc64, ContractBench.slowCRC64(whole), "CRC-64 after \(number)")
                }
                crc = result.crc64
            }
            let (info, body) = try bench.get(key)
            try bench.expectBytes(body, whole, "body")
            try bench.expectEqual(info.type, .appendable, "type")
            try bench.expectEqual(
                info.metadata.user, ["piece": Array("0".utf8)], "metadata, which the first append sets")
            try bench.expectEqual(info.metadata.contentType, Array("text/x-log".utf8), "content type")
        },
        makeCase("an append elsewhere than at the end is refused and tells the end") { bench in
            guard try bench.has(.append, { try bench.append(bench.key("k"), at: 0, [1]) }) else { return }
            let key = bench.key("elsewhere")
            try bench.store.delete(key, .test)
            try bench.expectEqual(try bench.positionOfRefusal(key, at: 3), 0, "end of nothing")
            _ = try bench.append(key, at: 0, Array("four".utf8))
            for position in [0, 3, 5] as [Int64] {
                try bench.expectEqual(try bench.positionOfRefusal(key, at: position), 4, "end told at \(position)")
            }
            try bench.expectEqual(try bench.get(key).1, Array("four".utf8), "body")
        },
        makeCase("an object that was put does not grow, and a put replaces one that does") { bench in
            guard try bench.has(.append, { try bench.append(bench.key("k"), at: 0, [1]) }) else { return }
            let key = bench.key("put")
            try bench.put(key, [1])
            try bench.expectKind(.unsupported, "append") { _ = try bench.append(key, at: 1, [2]) }
            let grows = bench.key("grows")
            try bench.store.delete(grows, .test)
            _ = try bench.append(grows, at: 0, [1])
            try bench.put(grows, [9])
            try bench.expectEqual(try bench.store.head(grows, .test).type, .normal, "type after a put")
        },
        makeCase("an append to bytes other than thought is corrupted") { bench in
            let store = bench.store.capabilities
            guard store.features.contains(.append), store.hasCRC64 else { return }
            let key = bench.key("other")
            try bench.store.delete(key, .test)
            _ = try bench.append(key, at: 0, [1])
            try bench.expectKind(.corrupted, "append") {
                let request = AppendRequest(key: key, position: 1, crc64: 5)
                _ = try bench.store.append(request, body: BytesBody([2]), .test)
            }
        },
        makeCase("a copy of an object that grows stays as it was") { bench in
            guard bench.store.capabilities.features.contains(.append) else { return }
            let (key, copy) = (bench.key("grows"), bench.key("copy"))
            try bench.store.delete(key, .test)
            _ = try bench.append(key, at: 0, [1])
            _ = try bench.store.copy(CopyRequest(source: key, destination: copy), .test)
            _ = try bench.append(key, at: 1, [2])
            try bench.expectEqual(try bench.get(copy).1, [1], "the copy")
            try bench.expectEqual(try bench.get(key).1, [1, 2], "the source")
        },
    ]
}

extension ContractBench {
    /// Whether the store has a family of calls; where it hasn't, `call` must be `unsupported`.
    func has(_ feature: StoreFeatures, _ call: () throws -> Void) throws -> Bool {
        if store.capabilities.features.contains(feature) { return true }
        try expectKind(.unsupported, "a call that the store hasn't", call)
        return false
    }

    @discardableResult
    func append(_ key: ObjectKey, at position: Int64, _ bytes: [UInt8]) throws -> AppendResult {
        try store.append(AppendRequest(key: key, position: position), body: BytesBody(bytes), .test)
    }

    func positionOfRefusal(_ key: ObjectKey, at position: Int64) throws -> Int64? {
        do {
            try append(key, at: position, [0])
        } catch let error as ObjectStoreError {
            try expectEqual(error.kind, .preconditionFailed, "append at \(position)")
            return error.appendPosition
        }
        throw TestFailure("an append at \(position) succeeded")
    }
}
