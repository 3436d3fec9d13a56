/// Uploads in parts: begun, given up, and the routes of the whole family.
enum MultipartUpload {
    static let routes = [
        Route("POST", .object, query: ["uploads"], .initiateMultipartUpload) { .reply(try initiate($0, $1)) },
        Route("POST", .object, query: ["uploads", "sequential"], .initiateMultipartUpload) {
            .reply(try initiate($0, $1))
        },
        Route("PUT", .object, query: ["partNumber", "uploadId"], .uploadPart) {
            .receive(try PartReceiver($0, $1))
        },
        Route("PUT", .object, query: ["partNumber", "uploadId"], header: "x-oss-copy-source", .uploadPartCopy) {
            .reply(try UploadPartCopy.copy($0, $1))
        },
        Route("POST", .object, query: ["uploadId"], .completeMultipartUpload) { request, service in
            .receive(
                DocumentReceiver(limitBytes: CompleteUpload.documentLimitBytes) {
                    try CompleteUpload.complete(request, service, document: $0)
                })
        },
        Route("DELETE", .object, query: ["uploadId"], .abortMultipartUpload) { request, service in
            try service.folder.abort(request.bucket, request.key, uploadID(request))
            return .reply(Reply(204))
        },
        Route("GET", .object, query: ["uploadId"], .listParts) { .reply(try UploadListings.parts($0, $1)) },
        Route("GET", .bucket, query: ["uploads"], .listMultipartUploads) {
            .reply(try UploadListings.uploads($0, $1))
        },
    ]

    static func uploadID(_ request: Request) -> Bytes { request.query["uploadId"] ?? [] }

    private static func initiate(_ request: Request, _ service: Service) throws -> Reply {
        let row = try PutObject.row(request, type: "Multipart")
        var upload = StoredUpload(
            id: hexadecimal(Digests.random(16), upperCase: true), key: request.key, initiated: service.clock.now,
            storageClass: row.storageClass, acl: row.acl, tagging: row.tagging, fields: row.fields,
            forbidsOverwrite: try ObjectHeaders.forbidsOverwrite(request, service))
        upload.isSequential = request.query.contains("sequential")
        if upload.forbidsOverwrite, try service.folder.object(request.bucket, request.key) != nil {
            throw ServiceError.fileAlreadyExists
        }
        try service.folder.begin(request.bucket, upload)
        let encoding = try URLEncoding(request, service)
        var xml = XMLWriter()
        xml.element("InitiateMultipartUploadResult") { xml in
            if encoding.isWanted { xml.element("EncodingType", "url") }
            xml.element("Bucket", request.bucket)
            encoding.write("Key", request.key, &xml)
            xml.element("UploadId", upload.id)
        }
        return .xml(200, xml)
    }

    /// The number of the part that the request brings.
    static func partNumber(_ request: Request, _ limits: ServerLimits) throws(ServiceError) -> Int64 {
        let text = request.query["partNumber"] ?? []
        guard let number = text.decimal, number >= 1, number <= limits.partCount else {
            throw .invalidArgument(
                "Part number must be an integer between 1 and 10000, inclusive.", name: "partNumber", value: text)
        }
        return Int64(number)
    }
}

/// `encoding-type=url`, by which replies carry keys that XML can't.
struct URLEncoding: Sendable {
    let isWanted: Bool
    private let space: ServiceAnswers.ListingSpace

    init(_ request: Request, _ service: Service) throws(ServiceError) {
        let encoding = request.query["encoding-type"] ?? []
        guard encoding.isEmpty || encoding.isEqual(to: "url") else {
            throw .invalidArgument(
                "Invalid Encoding Method specified in Request.", name: "encoding-type", value: encoding)
        }
        isWanted = !encoding.isEmpty
        space = service.answers.listingSpace
    }

    func write(_ name: StaticString, _ value: Bytes, _ xml: inout XMLWriter) {
        xml.element(name, isWanted || !XMLText.canCarry(value) ? encoded(value) : value)
    }

    private func encoded(_ value: Bytes) -> Bytes {
        switch space {
        case .percent: PercentCoding.encode(value)
        case .plus:
            Bytes(
                value.split(separator: 0x20, omittingEmptySubsequences: false)
                    .map { PercentCoding.encode($0) }.joined(separator: [0x2B]))
        }
    }

    /// A number out of a parameter, up to `greatest`, which it also is where the client says nothing
    /// or leaves it empty.
    static func count(
        _ request: Request, _ name: StaticString, upTo greatest: UInt64
    ) throws(ServiceError) -> UInt64 {
        guard let text = request.query[name], !text.isEmpty else { return greatest }
        guard let number = text.decimal, number <= greatest else {
            throw .invalidArgument("The argument must be an integer between 0 and 1000.", name: name, value: text)
        }
        return number
    }
}
