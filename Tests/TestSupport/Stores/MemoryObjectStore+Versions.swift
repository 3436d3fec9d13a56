import Instrumentation
import ObjectStore
import Runtime

// Current objects and those before them: what storing, removing and finding mean by the bucket's versioning.

extension MemoryObjectStore {
    /// A version that isn't current, or a delete marker.
    struct Older {
        var version: VersionID
        var lastModified: WallTime
        /// Nil for a delete marker.
        var object: Stored?
    }

    /// Begins or stops to keep what is replaced and deleted; counts as no request.
    package func setVersioning(_ isEnabled: Bool) {
        state.withLock { $0.versioning = isEnabled ? .enabled : .suspended }
    }

    /// What stands under the key, links not followed; `notFound` where that is nothing or a delete marker.
    func stored(
        _ key: ObjectKey, version: VersionID? = nil, _ name: StaticString
    ) throws(ObjectStoreError) -> Stored {
        let (found, marker) = state.withLock { $0.find(key, version) }
        guard var object = found else {
            let code = version == nil ? "NoSuchKey" : "NoSuchVersion"
            var error = failure(.notFound, name, key, version != nil && marker != nil ? 405 : 404, code)
            error.deleteMarker = marker
            throw error
        }
        object.info.serverDate = serverDate
        return object
    }

    /// The same with links followed: bytes and what goes with them are the target's, the rest is the link's.
    func read(
        _ key: ObjectKey, version: VersionID? = nil, _ name: StaticString
    ) throws(ObjectStoreError) -> Stored {
        var object = try stored(key, version: version, name)
        guard object.info.type == .symlink else { return object }
        guard let target = state.withLock({ $0.find(ObjectKey(object.bytes), nil).object }) else {
            throw failure(.notFound, name, key, 404, "SymlinkTargetNotExist")
        }
        guard target.info.type != .symlink else {
            throw failure(.invalidRequest, name, key, 400, "InvalidTargetType")
        }
        object.bytes = target.bytes
        object.info.size = target.info.size
        object.info.crc64 = target.info.crc64
        object.info.etag = target.info.etag
        object.info.storageClass = target.info.storageClass
        if object.info.lastModified < target.info.lastModified { object.info.lastModified = target.info.lastModified }
        object.restoredUntil = target.restoredUntil
        return object
    }

    package func listVersions(
        _ request: VersionListRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> VersionPage {
        try enter(.listVersions, "ListObjectVersions", nil, context)
        return state.withLock { $0.versionPage(request, limit: min(max(request.limit, 1), 1000)) }
    }

    package func head(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo {
        try enter(.headVersion, "HeadObject", key, context)
        return try read(key, version: version, "HeadObject").info
    }

    package func delete(
        _ key: ObjectKey, version: VersionID, _ context: RequestContext
    ) throws(ObjectStoreError) {
        try enter(.deleteVersion, "DeleteObject", key, context)
        state.withLock { $0.remove(key, version: version) }
    }
}

extension MemoryObjectStore.State {
    /// Makes `object` the current one.
    mutating func store(_ object: MemoryObjectStore.Stored, at key: ObjectKey) {
        var object = object
        object.version = versioning == .enabled ? makeVersion() : .null
        object.info.version = versioning == .never ? nil : object.version
        if versioning != .never { keepCurrent(key, replacedBy: object.version) }
        setCurrent(object, at: key)
    }

    /// Changes the current object without making a version of it.
    mutating func setCurrent(_ object: MemoryObjectStore.Stored, at key: ObjectKey) {
        if objects.updateValue(object, forKey: key) == nil { order.insert(key, at: firstIndex { $0 < key }) }
    }

    /// Removes the current object, which leaves a delete marker where versions are kept.
    mutating func remove(_ key: ObjectKey, at time: WallTime) {
        if versioning != .never {
            let version = versioning == .enabled ? makeVersion() : VersionID.null
            keepCurrent(key, replacedBy: version)
            older[key, default: []].insert(
                MemoryObjectStore.Older(version: version, lastModified: time, object: nil), at: 0)
        }
        takeCurrent(key)
    }

    /// Removes one version for good; what came before a current one takes its place.
    mutating func remove(_ key: ObjectKey, version: VersionID) {
        if objects[key]?.version == version {
            takeCurrent(key)
        } else {
            older[key]?.removeAll { $0.version == version }
        }
        if objects[key] == nil, let latest = older[key]?.first?.object {
            older[key]?.removeFirst()
            setCurrent(latest, at: key)
        }
        if older[key]?.isEmpty == true { older[key] = nil }
    }

    /// The object, or the delete marker that is there instead; neither where there is nothing.
    func find(
        _ key: ObjectKey, _ version: VersionID?
    ) -> (object: MemoryObjectStore.Stored?, marker: VersionID?) {
        guard let version else {
            guard objects[key] == nil, let latest = older[key]?.first, latest.object == nil else {
                return (objects[key], nil)
            }
            return (nil, latest.version)
        }
        if let current = objects[key], current.version == version { return (current, nil) }
        guard let found = older[key]?.first(where: { $0.version == version }) else { return (nil, nil) }
        return found.object.map { ($0, nil) } ?? (nil, version)
    }

    private mutating func makeVersion() -> VersionID {
        versionsMade += 1
        return VersionID("V\(versionsMade)".utf8)
    }

    /// Puts the current object among the older ones; of null versions there is only one.
    private mutating func keepCurrent(_ key: ObjectKey, replacedBy version: VersionID) {
        if version == .null { older[key]?.removeAll { $0.version == .null } }
        if older[key]?.isEmpty == true { older[key] = nil }
        guard let old = objects[key], old.version != .null || version != .null else { return }
        older[key, default: []].insert(
            MemoryObjectStore.Older(version: old.version, lastModified: old.info.lastModified, object: old), at: 0)
    }

    private mutating func takeCurrent(_ key: ObjectKey) {
        if objects.removeValue(forKey: key) != nil { order.remove(at: firstIndex { $0 < key }) }
    }

    // MARK: - Listing

    func versionPage(_ request: VersionListRequest, limit: Int) -> VersionPage {
        var page = VersionPage(rows: [])
        var last: VersionMarker?
        for key in Set(order).union(older.keys).sorted() where key.bytes.starts(with: request.prefix) {
            let rest = key.bytes.dropFirst(request.prefix.count)
            if request.foldsDirectories, let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
                let folded = ObjectKey(key.bytes[...slash])
                if page.commonPrefixes.last == folded { continue }
                if let after = request.after, after.key.bytes.starts(with: folded.bytes) || after.key > folded {
                    continue
                }
                guard page.rows.count + page.commonPrefixes.count < limit else {
                    page.next = last
                    return page
                }
                page.commonPrefixes.append(folded)
                last = VersionMarker(key: folded, version: nil)
                continue
            }
            for row in rows(of: key, after: request.after) {
                guard page.rows.count + page.commonPrefixes.count < limit else {
                    page.next = last
                    return page
                }
                page.rows.append(row)
                last = VersionMarker(key: key, version: row.version)
            }
        }
        return page
    }

    private func rows(of key: ObjectKey, after marker: VersionMarker?) -> [VersionRow] {
        var all = objects[key].map { [row(key, $0, $0.version, $0.info.lastModified, isLatest: true)] } ?? []
        for item in older[key] ?? [] {
            all.append(row(key, item.object, item.version, item.lastModified, isLatest: all.isEmpty))
        }
        guard let marker, key <= marker.key else { return all }
        guard key == marker.key, let version = marker.version,
            let index = all.firstIndex(where: { $0.version == version })
        else { return [] }
        return Array(all[(index + 1)...])
    }

    private func row(
        _ key: ObjectKey, _ object: MemoryObjectStore.Stored?, _ version: VersionID, _ time: WallTime, isLatest: Bool
    ) -> VersionRow {
        VersionRow(
            key: key, version: version, isLatest: isLatest, lastModified: time,
            content: object.map {
                VersionRow.Content(
                    size: $0.info.size, etag: $0.info.etag, type: $0.info.type, storageClass: $0.info.storageClass)
            })
    }
}
