import Checksums
import Instrumentation
import ObjectStore
import Runtime

extension MemoryObjectStore {
    /// An upload under way.
    struct Upload {
        struct Part {
            var bytes: [UInt8]
            var result: PartResult
        }

        let key: ObjectKey
        let initiated: WallTime
        let metadata: ObjectMetadata
        let properties: ObjectProperties
        var parts: [PartNumber: Part] = [:]
    }

    package func initiateUpload(
        _ request: InitiateRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadAddress {
        try enter(.initiateUpload, "InitiateMultipartUpload", request.key, context)
        try checkMetadata(request.metadata, "InitiateMultipartUpload", request.key)
        let upload = Upload(
            key: request.key, initiated: serverDate, metadata: request.metadata, properties: request.properties)
        let id = state.withLock { state in
            state.uploadsBegun += 1
            // 16 digits: ids in their byte order are in the order of their beginning.
            let digits = String(state.uploadsBegun, radix: 16, uppercase: true)
            let id = UploadID((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
            state.uploads[id] = upload
            return id
        }
        return UploadAddress(key: request.key, id: id)
    }

    package func uploadPart(
        _ address: UploadAddress, _ number: PartNumber, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult {
        try enter(.uploadPart, "UploadPart", address.key, context)
        _ = try upload(address, "UploadPart")
        let bytes: [UInt8]
        if body.count <= capabilities.maximumPartBytes { bytes = Self.read(body) } else { bytes = [] }
        guard Int64(bytes.count) == body.count else {
            throw failure(.tooLarge, "UploadPart", address.key, 400, "EntityTooLarge")
        }
        if let claimed = body.crc64, claimed != bytes.withUnsafeBytes({ CRC64.of($0) }) {
            throw failure(.corrupted, "UploadPart", address.key, nil, "")
        }
        return try store(bytes, address, number, "UploadPart")
    }

    package func copyPart(
        _ address: UploadAddress, _ number: PartNumber, from source: PartCopySource, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult {
        let name: StaticString = "UploadPartCopy"
        try enter(.copyPart, name, address.key, context)
        guard capabilities.hasPartCopy else { throw failure(.unsupported, name, address.key, 501, "NotImplemented") }
        _ = try upload(address, name)
        let object = try stored(source.key, name)
        if let wanted = source.ifMatch, wanted != object.info.etag {
            throw failure(.preconditionFailed, name, source.key, 412, "PreconditionFailed")
        }
        let range = source.range ?? 0..<object.info.size
        guard source.range == nil || range.lowerBound >= 0 && !range.isEmpty else {
            throw failure(.invalidRequest, name, source.key, 400, "InvalidArgument")
        }
        guard range.upperBound <= object.info.size else {
            throw failure(.invalidRange, name, source.key, 416, "InvalidRange")
        }
        guard Int64(range.count) <= capabilities.maximumPartBytes else {
            throw failure(.tooLarge, name, source.key, 400, "EntityTooLarge")
        }
        let bytes = Array(object.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        return try store(bytes, address, number, name)
    }

    package func listParts(
        _ address: UploadAddress, after number: PartNumber?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartPage {
        try enter(.listParts, "ListParts", address.key, context)
        let upload = try upload(address, "ListParts")
        let limit = min(max(limit, 1), 1000)
        let rest = upload.parts.keys.sorted().filter { $0.value > number?.value ?? 0 }
        let numbers = rest.prefix(limit)
        return PartPage(
            parts: numbers.compactMap { upload.parts[$0]?.result },
            next: rest.count > numbers.count ? numbers.last : nil)
    }

    package func abortUpload(_ address: UploadAddress, _ context: RequestContext) throws(ObjectStoreError) {
        try enter(.abortUpload, "AbortMultipartUpload", address.key, context)
        discardUpload(address)
    }

    package func listUploads(
        prefix: [UInt8], after marker: UploadAddress?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadPage {
        try enter(.listUploads, "ListMultipartUploads", nil, context)
        let limit = min(max(limit, 1), 1000)
        let rest = uploads.filter { row in
            guard row.address.key.bytes.starts(with: prefix) else { return false }
            guard let marker else { return true }
            if row.address.key != marker.key { return marker.key < row.address.key }
            return !marker.id.bytes.isEmpty && marker.id.bytes.lexicographicallyPrecedes(row.address.id.bytes)
        }
        let page = Array(rest.prefix(limit))
        return UploadPage(
            uploads: page, next: rest.count > page.count ? page.last?.address : nil, serverDate: serverDate)
    }

    // MARK: - Rules

    func upload(_ address: UploadAddress, _ name: StaticString) throws(ObjectStoreError) -> Upload {
        guard let upload = state.withLock({ $0.uploads[address.id] }), upload.key == address.key else {
            throw failure(.noSuchUpload, name, address.key, 404, "NoSuchUpload")
        }
        return upload
    }

    private func store(
        _ bytes: [UInt8], _ address: UploadAddress, _ number: PartNumber, _ name: StaticString
    ) throws(ObjectStoreError) -> PartResult {
        guard number.value <= capabilities.maximumParts else {
            throw failure(.invalidRequest, name, address.key, 400, "InvalidArgument")
        }
        let crc = bytes.withUnsafeBytes { CRC64.of($0) }
        let info = makeInfo(bytes: bytes, crc: crc, metadata: ObjectMetadata())
        let result = PartResult(number: number, etag: info.etag, size: info.size, crc64: info.crc64)
        // Completed or aborted while its bytes were read, it takes no part any more.
        let isStored = state.withLock { state in
            state.uploads[address.id]?.parts.updateValue(Upload.Part(bytes: bytes, result: result), forKey: number)
            return state.uploads[address.id] != nil
        }
        guard isStored else { throw failure(.noSuchUpload, name, address.key, 404, "NoSuchUpload") }
        return result
    }
}

// What another host would do or see: none of it counts as a request.
extension MemoryObjectStore {
    /// The uploads under way, by key and id.
    package var uploads: [UploadRow] {
        let rows = state.withLock { state in
            state.uploads.map { UploadRow(address: UploadAddress(key: $1.key, id: $0), initiated: $1.initiated) }
        }
        return rows.sorted { left, right in
            let (first, second) = (left.address, right.address)
            return first.key == second.key
                ? first.id.bytes.lexicographicallyPrecedes(second.id.bytes) : first.key < second.key
        }
    }

    /// Drops an upload as a lifecycle rule would.
    package func discardUpload(_ address: UploadAddress) {
        state.withLock { if $0.uploads[address.id]?.key == address.key { $0.uploads[address.id] = nil } }
    }

    /// The bytes of a part; nil where there is none.
    package func contents(_ address: UploadAddress, _ number: PartNumber) -> [UInt8]? {
        state.withLock { $0.uploads[address.id]?.parts[number]?.bytes }
    }
}
