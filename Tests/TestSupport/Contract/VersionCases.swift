import ObjectStore

extension ObjectStoreContract {
    /// One requirement of a store whose bucket can be made to keep versions.
    package struct VersionCase: Sendable, CustomStringConvertible {
        package let name: String
        package var description: String { name }
        let body: @Sendable (ContractBench, (Bool) throws -> Void) throws -> Void

        /// - Parameter setVersioning: enables (true) or suspends versions of the store's bucket.
        package func check(_ store: any ObjectStore, setVersioning: (Bool) throws -> Void) throws {
            try body(ContractBench(store: store, prefix: "versions/\(name.replacing(" ", with: "-"))/"), setVersioning)
        }
    }

    /// In this order: the first sees the bucket before it ever kept a version.
    package static let versionCases: [VersionCase] = [
        VersionCase(name: "a bucket that never kept versions has null ones") { bench, setVersioning in
            let key = bench.key("k")
            try bench.expectEqual(try bench.store.description(.test).versioning, .never, "versioning")
            try bench.put(key, [1])
            try bench.expectEqual(try bench.store.head(key, .test).version, nil, "version of head")
            try bench.expectEqual(try bench.versions().map(\.version), [.null], "versions")
            try setVersioning(true)
            try bench.expectEqual(try bench.store.description(.test).versioning, .enabled, "versioning")
            try bench.put(key, [2])
            let newer = try bench.store.head(key, .test).version
            try bench.expectEqual(try bench.versions().map(\.version), [newer, .null], "versions")
            try bench.expectEqual(try bench.versions().map(\.isLatest), [true, false], "which is the latest")
            try bench.expectEqual(try bench.get(key, version: .null), [1], "the null version")
            try setVersioning(false)
            try bench.expectEqual(try bench.store.description(.test).versioning, .suspended, "versioning")
        },
        VersionCase(name: "a put keeps what it replaces") { bench, setVersioning in
            try setVersioning(true)
            let key = bench.key("k")
            let (one, two) = (try bench.putVersion(key, [1]), try bench.putVersion(key, [2, 2]))
            try bench.expect(one != two, "two versions have one name")
            try bench.expectEqual(try bench.get(key).1, [2, 2], "the current one")
            try bench.expectEqual(try bench.get(key, version: one), [1], "the older one")
            try bench.expectEqual(try bench.store.head(key, version: one, .test).size, 1, "size of the older one")
            try bench.expectEqual(try bench.store.head(key, version: one, .test).version, one, "version told of it")
            try bench.expectEqual(try bench.versions().map(\.content?.size), [2, 1], "listed sizes")
            try bench.expectKind(.notFound, "another version") {
                _ = try bench.store.head(key, version: VersionID("0123".utf8), .test)
            }
        },
        VersionCase(name: "a delete leaves a marker, and without it the object is there again") {
            bench, setVersioning in
            try setVersioning(true)
            let key = bench.key("k")
            let one = try bench.putVersion(key, [1])
            try bench.store.delete(key, .test)
            let rows = try bench.versions()
            try bench.expectEqual(rows.map { $0.content == nil }, [true, false], "which is a marker")
            guard let marker = rows.first?.version else { return }
            try bench.expectEqual(try bench.markerOfRefusal { _ = try bench.store.head(key, .test) }, marker, "head")
            try bench.expectEqual(try bench.markerOfRefusal { _ = try bench.get(key) }, marker, "get")
            try bench.expectEqual(
                try bench.markerOfRefusal { _ = try bench.store.head(key, version: marker, .test) }, marker,
                "head of the marker")
            try bench.expectEqual(try bench.list().rows, [], "the plain listing")
            try bench.expectEqual(try bench.get(key, version: one), [1], "the version behind")
            try bench.store.delete(key, version: marker, .test)
            try bench.expectEqual(try bench.get(key).1, [1], "the object")
        },
        VersionCase(name: "a version is deleted for good") { bench, setVersioning in
            try setVersioning(true)
            let key = bench.key("k")
            let versions = try [[1], [2], [3]].map { try bench.putVersion(key, $0) }
            try bench.store.delete(key, version: versions[1], .test)
            try bench.store.delete(key, version: versions[2], .test)
            try bench.expectEqual(try bench.get(key).1, [1], "the first is current again")
            try bench.store.delete(key, version: versions[0], .test)
            try bench.store.delete(key, version: versions[0], .test)
            try bench.expectEqual(try bench.versions(), [], "versions")
            try bench.expectEqual(try bench.markerOfRefusal { _ = try bench.store.head(key, .test) }, nil, "marker")
        },
        VersionCase(name: "suspended versions replace the null one") { bench, setVersioning in
            try setVersioning(true)
            let key = bench.key("k")
            let one = try bench.putVersion(key, [1])
            try setVersioning(false)
            try bench.expectEqual(try bench.putVersion(key, [2]), .null, "version")
            try bench.put(key, [3])
            try bench.expectEqual(try bench.versions().map(\.version), [.null, one], "versions")
            try bench.store.delete(key, .test)
            try bench.expectEqual(try bench.versions().map(\.version), [.null, one], "versions after a delete")
            try bench.expectEqual(try bench.versions().map { $0.content == nil }, [true, false], "which is a marker")
            try bench.put(key, [4])
            try bench.expectEqual(try bench.versions().map { $0.content == nil }, [false, false], "no marker")
        },
        VersionCase(name: "appends and annotations make no version, copies and sets do") { bench, setVersioning in
            try setVersioning(true)
            let key = bench.key("k")
            try bench.append(key, at: 0, [1])
            try bench.append(key, at: 1, [2])
            try bench.store.putTags([ObjectTag(key: [65], value: [66])], of: key, .test)
            try bench.store.putACL(Array("private".utf8), of: key, .test)
            try bench.expectEqual(try bench.versions().count, 1, "versions")
            let request = CopyRequest(
                source: key, destination: key, replacing: ObjectMetadata(user: ["a": [65]]))
            _ = try bench.store.copy(request, .test)
            try bench.expectEqual(try bench.versions().count, 2, "versions after a copy onto itself")
            try bench.store.deleteMany([key], .test)
            try bench.expectEqual(try bench.versions().map { $0.content == nil }, [true, false, false], "markers")
        },
        VersionCase(name: "versions are listed whole, page by page") { bench, setVersioning in
            try setVersioning(true)
            for name in ["a", "b/1", "b/2", "\u{4E2D} c", "line\nfeed", "\u{1}"] {
                for byte in 1...3 { try bench.put(bench.key(name), [UInt8](repeating: 0, count: byte)) }
            }
            try bench.store.delete(bench.key("a"), .test)
            let whole = try bench.versions()
            try bench.expectEqual(whole.count, 19, "rows")
            try bench.expectEqual(whole.map(\.key), whole.map(\.key).sorted(), "order of keys")
            for limit in [1, 4, 5] {
                try bench.expectEqual(try bench.versions(limit: limit), whole, "rows at \(limit) a page")
            }
            let folded = try bench.store.listVersions(
                VersionListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: true), .test)
            try bench.expectEqual(folded.commonPrefixes, [bench.key("b/")], "prefixes")
            try bench.expectEqual(folded.rows.count, 13, "rows beside them")
        },
    ]
}

extension ContractBench {
    func versions(limit: Int = 1000) throws -> [VersionRow] {
        var rows: [VersionRow] = []
        var request = VersionListRequest(prefix: Array(prefix.utf8), limit: limit)
        while rows.count < 10_000 {
            let page = try store.listVersions(request, .test)
            try expect(page.rows.count <= limit, "a page is larger than its limit")
            rows += page.rows
            guard let next = page.next else { return rows }
            request.after = next
        }
        throw TestFailure("paging does not end")
    }

    func putVersion(_ key: ObjectKey, _ bytes: [UInt8]) throws -> VersionID {
        try put(key, bytes)
        guard let version = try store.head(key, .test).version else { throw TestFailure("head tells no version") }
        return version
    }

    func get(_ key: ObjectKey, version: VersionID) throws -> [UInt8] {
        let receiver = CollectingReceiver()
        try store.get(GetRequest(key: key, version: version), into: receiver, .test)
        return receiver.bytes
    }

    /// The delete marker that a call meets, which must be `notFound`.
    func markerOfRefusal(_ call: () throws -> Void) throws -> VersionID? {
        do {
            try call()
        } catch let error as ObjectStoreError {
            try expectEqual(error.kind, .notFound, "kind")
            return error.deleteMarker
        }
        throw TestFailure("the call succeeded")
    }
}
