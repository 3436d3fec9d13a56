/// What putting, deleting and reading mean in a bucket that keeps versions, or kept some. Within a transaction.
struct ObjectVersions {
    let index: ObjectIndex
    let bucket: Bytes
    let versioning: Versioning

    /// Makes `object` the current one; the objects whose bodies nothing names any more.
    ///
    /// - Parameter isNew: false for a change of the old object's description or length, which makes no version.
    func replace(_ old: StoredObject?, by object: inout StoredObject, isNew: Bool) throws -> [StoredObject] {
        guard isNew, versioning != .off else {
            object.version = old?.version ?? []
            try index.put(bucket, object)
            return old.map { [$0] } ?? []
        }
        object.version = versioning == .enabled ? hexadecimal(Digests.random(16), upperCase: true) : []
        let lost = try keep(old, of: object.key, null: object.version.isEmpty)
        try index.put(bucket, object)
        return lost
    }

    /// Puts the current object among the older ones; the null versions that a new one of them takes the place of.
    private func keep(_ old: StoredObject?, of key: Bytes, null isNull: Bool) throws -> [StoredObject] {
        var lost: [StoredObject] = []
        if isNull, let other = try index.versions.find(bucket, key, []) {
            try index.versions.remove(bucket, other)
            lost.append(other.object)
        }
        guard let old else { return lost }
        if isNull && old.version.isEmpty { return lost + [old] }
        try index.versions.add(bucket, old, isMarker: false)
        return lost
    }

    /// What a deletion did: the version that it took or marked, and whether that is a mark.
    struct Deletion {
        var version: Bytes?
        var isMarker = false
        var lost: [StoredObject] = []

        /// The id by which clients know the version.
        var label: Bytes? { version.map { $0.isEmpty ? Bytes("null") : $0 } }
    }

    /// Deletes the current object, which leaves a mark where versions are kept.
    func delete(_ key: Bytes, now: Int64) throws -> Deletion {
        let old = try index.object(bucket, key)
        guard versioning != .off else {
            if old != nil { try index.delete(bucket, key) }
            return Deletion(lost: old.map { [$0] } ?? [])
        }
        var marker = StoredObject(
            key: key, size: 0, crc: 0, etag: [], md5: [], modified: now, type: [], storageClass: [], acl: [],
            tagging: [], fields: Fields(), pieces: [])
        marker.version = versioning == .enabled ? hexadecimal(Digests.random(16), upperCase: true) : []
        var lost: [StoredObject] = []
        if marker.version.isEmpty, let other = try index.versions.find(bucket, key, []) {
            try index.versions.remove(bucket, other)
            lost.append(other.object)
        }
        if let old {
            try index.delete(bucket, key)
            if marker.version.isEmpty && old.version.isEmpty {
                lost.append(old)
            } else {
                try index.versions.add(bucket, old, isMarker: false)
            }
        }
        try index.versions.add(bucket, marker, isMarker: true)
        return Deletion(version: marker.version, isMarker: true, lost: lost)
    }

    /// Takes one version away for good; what was the latest before it becomes current.
    func delete(_ key: Bytes, version: Bytes) throws -> Deletion {
        var deletion = Deletion(version: version)
        if let current = try index.object(bucket, key), current.version == version {
            try index.delete(bucket, key)
            deletion.lost = [current]
        } else if let older = try index.versions.find(bucket, key, version) {
            try index.versions.remove(bucket, older)
            deletion.isMarker = older.isMarker
            deletion.lost = [older.object]
        }
        if try index.object(bucket, key) == nil, let latest = try index.versions.latest(bucket, key), !latest.isMarker {
            try index.versions.remove(bucket, latest)
            try index.put(bucket, latest.object)
        }
        return deletion
    }

    /// Changes what is told of the object or of a version of it, but no bytes: this makes no version.
    func describe(
        _ key: Bytes, version: Bytes?, change: (StoredObject) throws -> StoredObject
    ) throws -> StoredObject {
        let changed = try change(try find(key, version: version))
        if let current = try index.object(bucket, key), version == nil || current.version == changed.version {
            try index.put(bucket, changed)
        } else if var older = try index.versions.find(bucket, key, changed.version) {
            older.object = changed
            try index.versions.put(bucket, older)
        }
        return changed
    }

    /// The object that a read asks for, by its version or the current one; throws what OSS answers where it is none.
    func find(_ key: Bytes, version: Bytes?) throws -> StoredObject {
        if let version {
            let id = version.isEqual(to: "null") ? [] : version
            if let current = try index.object(bucket, key), current.version == id { return current }
            guard let older = try index.versions.find(bucket, key, id) else {
                throw ServiceError.noSuchVersion(key, version)
            }
            guard !older.isMarker else { throw ServiceError.isDeleteMarker(version) }
            return older.object
        }
        if let current = try index.object(bucket, key) { return current }
        var error = ServiceError.noSuchKey(key)
        if versioning != .off, let latest = try index.versions.latest(bucket, key), latest.isMarker {
            error.headers.append("x-oss-delete-marker", Bytes("true"))
            error.headers.append(
                "x-oss-version-id", latest.object.version.isEmpty ? Bytes("null") : latest.object.version)
        }
        throw error
    }
}
