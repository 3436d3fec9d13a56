/// One request for a page of all versions in a bucket.
struct VersionQuery: Sendable {
    var prefix: Bytes = []
    var delimiter: Bytes = []
    /// Only what comes after this key, or of this key after this version where one is given.
    var keyMarker: Bytes = []
    var versionMarker: Bytes = []
    var maximum = 100
}

/// A page of versions by keys, of each the latest first.
struct VersionPage: Sendable {
    struct Item: Sendable {
        let version: OlderVersion
        let isLatest: Bool
    }

    var versions: [Item] = []
    var commonPrefixes: [Bytes] = []
    /// What the next page begins after; nil at the end.
    var next: (key: Bytes, version: Bytes)?
}

extension StoredObject {
    /// The id by which the version is named to clients.
    var versionLabel: Bytes { version.isEmpty ? Bytes("null") : version }
}

/// Versions in a folder.
extension ObjectFolder {
    func versioning(_ bucket: Bytes) -> Versioning { state.withLock { $0.versioning[bucket] ?? .off } }

    func setVersioning(_ bucket: Bytes, isEnabled: Bool) throws {
        try state.withLock { state in
            try state.index.versions.set(bucket, isEnabled: isEnabled)
            state.versioning[bucket] = isEnabled ? .enabled : .suspended
        }
    }

    /// The object, or a version of it; throws what OSS answers where there is none.
    func find(_ bucket: Bytes, _ key: Bytes, version: Bytes?) throws -> StoredObject {
        try state.withLock { try $0.versions(bucket).find(key, version: version) }
    }

    /// The same with what reads its bytes, also when it is replaced.
    func open(
        _ bucket: Bytes, _ key: Bytes, version: Bytes? = nil
    ) throws -> (object: StoredObject, reader: PieceReader) {
        let (object, lease) = try state.withLock { state in
            (try state.versions(bucket).find(key, version: version), state.leases.take())
        }
        return (object, PieceReader(object.pieces, folder: self, lease: lease))
    }

    /// Changes what is told of the object or of a version of it; throws what OSS answers where there is none.
    @discardableResult
    func describe(
        _ bucket: Bytes, _ key: Bytes, version: Bytes?, change: (StoredObject) throws -> StoredObject
    ) throws -> StoredObject {
        try state.withLock { state in
            let versions = state.versions(bucket)
            return try state.index.transaction { try versions.describe(key, version: version, change: change) }
        }
    }

    /// Deletes the object, or one version of it.
    func delete(_ bucket: Bytes, _ key: Bytes, version: Bytes?, now: Int64) throws -> ObjectVersions.Deletion {
        let (deletion, gone) = try state.withLock { state in
            let versions = state.versions(bucket)
            let deletion = try state.index.transaction {
                guard let version else { return try versions.delete(key, now: now) }
                return try versions.delete(key, version: version.isEqual(to: "null") ? [] : version)
            }
            return (deletion, Self.retire(deletion.lost, keeping: [], &state))
        }
        remove(gone)
        return deletion
    }

    func versions(_ bucket: Bytes, _ query: VersionQuery) throws -> VersionPage {
        var page = VersionPage()
        guard query.maximum > 0 else { return page }
        var lastKey: Bytes?
        // With a version to begin after, what its key has before it is passed over.
        var isPassing = !query.versionMarker.isEmpty
        var last: (key: Bytes, version: Bytes) = ([], [])
        let start = precedes(query.keyMarker, query.prefix) ? query.prefix : query.keyMarker
        try state.withLock { state in
            try state.index.versions.forEach(bucket, from: start) { version in
                let key = version.object.key
                guard key.hasPrefix(query.prefix) else { return false }
                let isLatest = lastKey != key
                lastKey = key
                if !query.keyMarker.isEmpty, key == query.keyMarker {
                    guard !query.versionMarker.isEmpty, !isPassing else {
                        if version.object.versionLabel == query.versionMarker { isPassing = false }
                        return true
                    }
                }
                let common = ListingPage.commonPrefix(of: key, prefix: query.prefix, delimiter: query.delimiter)
                if let common, page.commonPrefixes.last == common || query.keyMarker.hasPrefix(common) { return true }
                if page.versions.count + page.commonPrefixes.count == query.maximum {
                    page.next = last
                    return false
                }
                if let common {
                    page.commonPrefixes.append(common)
                    last = (common, [])
                } else {
                    page.versions.append(.init(version: version, isLatest: isLatest))
                    last = (key, version.object.versionLabel)
                }
                return true
            }
        }
        return page
    }
}

extension ObjectFolder.State {
    func versions(_ bucket: Bytes) -> ObjectVersions {
        ObjectVersions(index: index, bucket: bucket, versioning: versioning[bucket] ?? .off)
    }
}
