/// Uploads in a folder: parts are bodies that rows of their own name until the object takes them over.
extension ObjectFolder {
    func begin(_ bucket: Bytes, _ upload: StoredUpload) throws {
        try state.withLock { try $0.index.uploads.add(bucket, upload) }
    }

    func upload(_ bucket: Bytes, _ key: Bytes, _ id: Bytes) throws -> StoredUpload? {
        try state.withLock { try $0.index.uploads.upload(bucket, key, id) }
    }

    /// Throws what a part with this number would get: NoSuchUpload or PartNotSequential.
    func checkPart(_ bucket: Bytes, _ key: Bytes, _ id: Bytes, number: Int64) throws {
        try state.withLock { try Self.checkPart($0.index.uploads, bucket, key, id, number) }
    }

    private static func checkPart(
        _ uploads: UploadIndex, _ bucket: Bytes, _ key: Bytes, _ id: Bytes, _ number: Int64
    ) throws {
        guard let upload = try uploads.upload(bucket, key, id) else { throw ServiceError.noSuchUpload(id) }
        guard upload.isSequential else { return }
        let last = try uploads.lastNumber(id)
        // The last one may come again, as its answer may have been lost.
        guard number == last + 1 || (number == last && last > 0) else { throw ServiceError.partNotSequential(number) }
    }

    /// Adds a part, in the place of an older one of its number; NoSuchUpload where the upload has ended meanwhile.
    func put(_ bucket: Bytes, _ key: Bytes, _ id: Bytes, _ part: StoredPart) throws {
        remove(try state.withLock { try put(bucket, key, id, part, &$0) })
    }

    /// The same with links of their own to the part's pieces, which the caller keeps from being given up meanwhile.
    func putLinked(_ bucket: Bytes, _ key: Bytes, _ id: Bytes, _ part: StoredPart) throws {
        var part = part
        let gone = try state.withLock { state in
            part.pieces = try link(part.pieces, &state.nextBody)
            return try put(bucket, key, id, part, &state)
        }
        remove(gone)
    }

    private func put(
        _ bucket: Bytes, _ key: Bytes, _ id: Bytes, _ part: StoredPart, _ state: inout State
    ) throws -> [BodyID] {
        let uploads = state.index.uploads
        try Self.checkPart(uploads, bucket, key, id, part.number)
        let old = try uploads.part(id, part.number)
        try uploads.put(id, part)
        return state.leases.retire(old?.pieces.bodies ?? [])
    }

    /// Ends the upload without an object.
    func abort(_ bucket: Bytes, _ key: Bytes, _ id: Bytes) throws {
        let gone = try state.withLock { state in
            let parts = try state.index.transaction {
                let uploads = state.index.uploads
                guard try uploads.upload(bucket, key, id) != nil else { throw ServiceError.noSuchUpload(id) }
                let parts = try uploads.parts(id)
                try uploads.delete(bucket, key, id)
                return parts
            }
            return state.leases.retire(Set(parts.flatMap(\.pieces.bodies)))
        }
        remove(gone)
    }

    /// Ends the upload with the object that `make` gives from it, its parts and what is at its key, or not at all
    /// where that throws. Parts that the object has none of are given up.
    func complete(
        _ bucket: Bytes, _ key: Bytes, _ id: Bytes,
        make: (StoredUpload, [StoredPart], StoredObject?) throws -> StoredObject
    ) throws -> StoredObject {
        let (object, gone) = try state.withLock { state in
            let versions = state.versions(bucket)
            let (object, lost, parts) = try state.index.transaction {
                let uploads = state.index.uploads
                guard let upload = try uploads.upload(bucket, key, id) else { throw ServiceError.noSuchUpload(id) }
                let parts = try uploads.parts(id)
                let old = try state.index.object(bucket, key)
                var object = try make(upload, parts, old)
                let lost = try versions.replace(old, by: &object, isNew: true)
                try uploads.delete(bucket, key, id)
                return (object, lost, parts)
            }
            let unused = Set(parts.flatMap(\.pieces.bodies)).subtracting(object.pieces.bodies)
            return (object, Self.retire(lost, keeping: object.pieces, &state) + state.leases.retire(unused))
        }
        remove(gone)
        return object
    }

    func parts(
        _ bucket: Bytes, _ key: Bytes, _ id: Bytes, after marker: Int64, maximum: Int64
    ) throws -> (StoredUpload, [StoredPart]) {
        try state.withLock { state in
            let uploads = state.index.uploads
            guard let upload = try uploads.upload(bucket, key, id) else { throw ServiceError.noSuchUpload(id) }
            return (upload, try uploads.parts(id, after: marker, maximum: maximum))
        }
    }

    func uploads(_ bucket: Bytes, _ query: UploadQuery) throws -> UploadPage {
        try state.withLock { try $0.index.uploads.list(bucket, query) }
    }
}
