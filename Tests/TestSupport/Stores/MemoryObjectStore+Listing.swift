import Checksums
import Instrumentation
import ObjectStore
import Runtime

extension MemoryObjectStore {
    package func list(_ request: ListRequest, _ context: RequestContext) throws(ObjectStoreError) -> ListPage {
        try enter(.list, "ListObjectsV2", nil, context)
        let start: ListingStart
        if let token = request.continuation {
            guard let decoded = ListingStart(token: token) else {
                throw failure(.invalidRequest, "ListObjectsV2", nil, 400, "InvalidArgument")
            }
            start = decoded
        } else if let key = request.startAfter {
            start = .afterKey(key.bytes)
        } else {
            start = .beginning
        }
        let limit = min(max(request.limit, 1), 1000)
        var page = state.withLock { $0.page(request, from: start, limit: limit) }
        page.serverDate = serverDate
        return page
    }
}

/// Where a page begins.
enum ListingStart {
    case beginning
    case afterKey([UInt8])
    /// After every key that starts with these bytes.
    case afterPrefix([UInt8])

    init?(token: ContinuationToken) {
        switch token.bytes.first {
        case UInt8(ascii: "k"): self = .afterKey(Array(token.bytes.dropFirst()))
        case UInt8(ascii: "p"): self = .afterPrefix(Array(token.bytes.dropFirst()))
        default: return nil
        }
    }

    var token: ContinuationToken? {
        switch self {
        case .beginning: nil
        case .afterKey(let bytes): ContinuationToken([UInt8(ascii: "k")] + bytes)
        case .afterPrefix(let bytes): ContinuationToken([UInt8(ascii: "p")] + bytes)
        }
    }
}

extension MemoryObjectStore.State {
    func page(_ request: ListRequest, from start: ListingStart, limit: Int) -> ListPage {
        var page = ListPage(rows: [])
        var index = firstIndex { $0.bytes.lexicographicallyPrecedes(request.prefix) }
        switch start {
        case .beginning: break
        case .afterKey(let bytes): index = max(index, firstIndex { !bytes.lexicographicallyPrecedes($0.bytes) })
        case .afterPrefix(let bytes): index = max(index, indexAfter(prefix: bytes))
        }
        var last = ListingStart.beginning
        while index < order.count, order[index].bytes.starts(with: request.prefix) {
            if page.rows.count + page.commonPrefixes.count == limit {
                page.next = last.token
                break
            }
            let key = order[index]
            let rest = key.bytes.dropFirst(request.prefix.count)
            if request.foldsDirectories, let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
                let folded = Array(key.bytes[...slash])
                page.commonPrefixes.append(ObjectKey(folded))
                last = .afterPrefix(folded)
                index = indexAfter(prefix: folded)
            } else {
                if let info = objects[key]?.info {
                    page.rows.append(
                        ListRow(
                            key: key, size: info.size, etag: info.etag, lastModified: info.lastModified,
                            type: info.type, storageClass: info.storageClass))
                }
                last = .afterKey(key.bytes)
                index += 1
            }
        }
        return page
    }

    /// The first index whose key does not come before; `isBefore` is true for a first part of the keys, then false.
    func firstIndex(_ isBefore: (ObjectKey) -> Bool) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(order[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func indexAfter(prefix: [UInt8]) -> Int {
        firstIndex { $0.bytes.lexicographicallyPrecedes(prefix) || $0.bytes.starts(with: prefix) }
    }
}

// What another host would do or see: none of it counts as a request.
extension MemoryObjectStore {
    /// Stores an object as somebody else would; `age` sets its time back by whole seconds.
    @discardableResult
    package func seed(
        _ key: ObjectKey, _ bytes: some Sequence<UInt8>, metadata: ObjectMetadata = ObjectMetadata(),
        type: ObjectType = .normal, age: Int64 = 0
    ) -> ObjectInfo {
        let bytes = Array(bytes)
        let crc = bytes.withUnsafeBytes { CRC64.of($0) }
        var info = makeInfo(bytes: bytes, crc: crc, metadata: metadata)
        info.lastModified.seconds -= age
        info.type = type
        let stored = Stored(bytes: bytes, info: info)
        state.withLock { $0.store(stored, at: key) }
        return info
    }

    /// Removes an object as somebody else would.
    package func discard(_ key: ObjectKey) { state.withLock { $0.remove(key, at: serverDate) } }

    /// Every key in byte order.
    package var keys: [ObjectKey] { state.withLock { $0.order } }

    /// The object's bytes; nil where there is none.
    package func contents(_ key: ObjectKey) -> [UInt8]? { state.withLock { $0.objects[key]?.bytes } }

    /// What a HEAD would tell; nil where there is none.
    package func info(_ key: ObjectKey) -> ObjectInfo? { state.withLock { $0.objects[key]?.info } }

    /// What its writer gave it besides bytes and metadata; nil where there is none.
    package func properties(_ key: ObjectKey) -> ObjectProperties? {
        state.withLock { state in
            state.objects[key].map {
                ObjectProperties(
                    acl: $0.acl, tagging: $0.tags, storageClass: $0.info.storageClass, encryption: $0.info.encryption)
            }
        }
    }

    /// How many calls of one kind came since the start or `resetRequests`, refused ones too.
    package func requests(_ operation: StoreOperation) -> Int { state.withLock { $0.requests[operation] ?? 0 } }

    /// How many calls of every kind came.
    package var requests: Int { state.withLock { $0.requests.values.reduce(0, +) } }

    package func resetRequests() { state.withLock { $0.requests = [:] } }
}
