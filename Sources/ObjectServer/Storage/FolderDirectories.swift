/// Directories as things of their own, for buckets with a hierarchical namespace. Paths have no slash at their end.
extension ObjectFolder {
    /// Gives an object, or a directory with all below it, another path, at once for all who look; NoSuchKey where the
    /// source or the target's parent isn't there, FileAlreadyExists where the target is.
    func rename(_ bucket: Bytes, from source: Bytes, to target: Bytes) throws {
        try state.withLock { state in
            let index = state.index
            try index.transaction {
                let file = try index.object(bucket, source)
                let moved = try file.map { [$0] } ?? Self.below(source, bucket, index, maximum: .max)
                guard !moved.isEmpty else { throw ServiceError.noSuchKey(source) }
                guard !target.hasPrefix(source + [0x2F]) else {
                    throw ServiceError.invalidArgument(
                        "A directory can't be moved into itself.", name: "x-oss-rename-source", value: source)
                }
                if let end = target.lastIndex(of: 0x2F) {
                    let parent = Bytes(target[..<end])
                    guard try !Self.below(parent, bucket, index, maximum: 1).isEmpty else {
                        throw ServiceError.noSuchKey(parent)
                    }
                }
                try Self.checkAbsence(of: target, bucket, index)
                for var object in moved {
                    try index.delete(bucket, object.key)
                    object.key = target + object.key.dropFirst(source.count)
                    try index.put(bucket, object)
                }
            }
        }
    }

    /// Puts the directory's marker, unless the directory is there; FileAlreadyExists where a file has its name, or
    /// that of a directory above it.
    func makeDirectory(_ bucket: Bytes, _ marker: StoredObject) throws -> StoredObject {
        try state.withLock { state in
            let index = state.index
            return try index.transaction {
                for end in marker.key.indices where marker.key[end] == 0x2F {
                    guard try index.object(bucket, Bytes(marker.key[..<end])) == nil else {
                        throw ServiceError.fileAlreadyExists
                    }
                }
                if let first = try Self.below(Bytes(marker.key.dropLast()), bucket, index, maximum: 1).first {
                    return first
                }
                try index.put(bucket, marker)
                return marker
            }
        }
    }

    /// Deletes up to `maximum` objects of the directory, those after `token`: how many, and what the next call begins
    /// after. Without `isRecursive` only a directory with nothing in it goes.
    func removeDirectory(
        _ bucket: Bytes, _ directory: Bytes, after token: Bytes, maximum: Int, isRecursive: Bool
    ) throws -> (count: Int, next: Bytes?) {
        let (result, gone) = try state.withLock { state in
            let index = state.index
            let (lost, hasMore) = try index.transaction {
                let found = try Self.below(directory, bucket, index, after: token, maximum: maximum + 1)
                guard !found.isEmpty || !token.isEmpty else { throw ServiceError.noSuchKey(directory) }
                let isEmpty = found.count == 1 && found.first?.key == directory + [0x2F]
                guard isRecursive || isEmpty else {
                    throw ServiceError(409, "DirectoryNotEmpty", "The directory you tried to delete is not empty.")
                }
                let lost = found.prefix(maximum)
                for object in lost { try index.delete(bucket, object.key) }
                return (Array(lost), found.count > maximum)
            }
            return ((lost.count, hasMore ? lost.last?.key : nil), Self.retire(lost, keeping: [], &state))
        }
        remove(gone)
        return result
    }

    private static func checkAbsence(of path: Bytes, _ bucket: Bytes, _ index: ObjectIndex) throws {
        guard try index.object(bucket, path) == nil, try below(path, bucket, index, maximum: 1).isEmpty else {
            throw ServiceError.fileAlreadyExists
        }
    }

    /// The marker of the directory and what lies below it, in the order of keys.
    private static func below(
        _ directory: Bytes, _ bucket: Bytes, _ index: ObjectIndex, after token: Bytes = [], maximum: Int
    ) throws -> [StoredObject] {
        let prefix = directory + [0x2F]
        var cursor = index.cursor(bucket)
        defer { cursor.close() }
        let start =
            precedes(prefix, token)
            ? ListingBound(key: token, isInclusive: false)
            : ListingBound(key: prefix, isInclusive: true)
        try cursor.seek(to: start)
        var found: [StoredObject] = []
        while found.count < maximum, let object = try cursor.next(), object.key.hasPrefix(prefix) {
            found.append(object)
        }
        return found
    }
}
