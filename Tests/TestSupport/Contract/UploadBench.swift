import ObjectStore

// The calls that cases about uploads make.
extension ContractBench {
    /// The least size of a part that isn't the last.
    var partBytes: Int { Int(store.capabilities.minimumPartBytes) }

    func number(_ value: Int) throws -> PartNumber {
        guard let number = PartNumber(value) else { throw TestFailure("\(value) is no number of a part") }
        return number
    }

    func begin(
        _ key: ObjectKey, metadata: ObjectMetadata = ObjectMetadata(),
        properties: ObjectProperties = ObjectProperties()
    ) throws -> UploadAddress {
        try store.initiateUpload(InitiateRequest(key: key, metadata: metadata, properties: properties), .test)
    }

    @discardableResult
    func send(_ upload: UploadAddress, _ part: Int, _ bytes: [UInt8], crc64: UInt64? = nil) throws -> PartResult {
        try store.uploadPart(upload, try number(part), body: BytesBody(bytes, crc64: crc64), .test)
    }

    /// Completes with what the whole is expected to be.
    @discardableResult
    func complete(
        _ upload: UploadAddress, _ parts: [PartResult], _ whole: [UInt8], forbidOverwrite: Bool = false
    ) throws -> WriteResult {
        let request = CompleteRequest(
            address: upload, parts: parts.map { CompletedPart($0) }, size: Int64(whole.count),
            crc64: Self.slowCRC64(whole), forbidOverwrite: forbidOverwrite)
        return try store.completeUpload(request, .test)
    }

    /// An upload of two parts, all but completed.
    func twoParts(_ key: ObjectKey, seed: UInt64) throws -> (UploadAddress, [PartResult], [UInt8]) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(partBytes + 5)
        let upload = try begin(key)
        let parts = [
            try send(upload, 1, Array(bytes.prefix(partBytes))), try send(upload, 2, Array(bytes.dropFirst(partBytes))),
        ]
        return (upload, parts, bytes)
    }

    func expectAbsent(_ key: ObjectKey, _ what: String) throws {
        try expectKind(.notFound, what) { _ = try store.head(key, .test) }
    }

    /// All uploads of the case, by pages of `limit`.
    func uploads(_ sub: [UInt8] = [], limit: Int = 1000) throws -> [UploadAddress] {
        var rows: [UploadAddress] = []
        var marker: UploadAddress?
        for _ in 0..<10_000 {
            let page = try store.listUploads(prefix: Array(prefix.utf8) + sub, after: marker, limit: limit, .test)
            try expect(page.uploads.count <= limit, "a page is larger than its limit")
            rows += page.uploads.map(\.address)
            guard let next = page.next else { return rows }
            marker = next
        }
        throw TestFailure("paging does not end")
    }
}
