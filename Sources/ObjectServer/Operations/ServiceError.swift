/// An error as OSS answers it: status, code, message, fine-grained code (EC), and elements of its own.
struct ServiceError: Error {
    struct Detail: Sendable {
        let name: StaticString
        let value: Bytes
    }

    var status: Int
    var code: Bytes
    var message: Bytes
    /// `MMMM-NNNNNNNN` where OSS's help pages name one; nil leaves the element out rather than inventing it.
    var errorCode: Bytes?
    var details: [Detail] = []
    /// What goes into the reply's head.
    var headers = Fields()

    init(
        _ status: Int, _ code: StaticString, _ message: StaticString, ec: StaticString? = nil, details: [Detail] = []
    ) {
        self.status = status
        self.code = Bytes(code)
        self.message = Bytes(message)
        errorCode = ec.map { Bytes($0) }
        self.details = details
    }

    /// An error that a fault rule asks for.
    init(status: Int, code: Bytes) {
        self.status = status
        self.code = code
        message = Bytes("A fault that a rule of this server asked for.")
    }

    /// The reply; for HEAD the document goes into a header, as HEAD has no body.
    func reply(to request: Request) -> Reply {
        if status == 304 { return Reply(304) }
        let document = document(for: request)
        var reply: Reply
        if request.isHead {
            reply = Reply(status)
            reply.headers.append("x-oss-err", Digests.base64(document.bytes))
        } else {
            reply = .xml(status, document)
        }
        if let errorCode { reply.headers.append("x-oss-ec", errorCode) }
        reply.headers.all += headers.all
        return reply
    }

    private func document(for request: Request) -> XMLWriter {
        var xml = XMLWriter()
        xml.element("Error") { xml in
            xml.element("Code", code)
            xml.element("Message", message)
            xml.element("RequestId", request.requestID)
            xml.element("HostId", request.headers["host"] ?? [])
            for detail in details { xml.element(detail.name, detail.value) }
            if let errorCode {
                xml.element("EC", errorCode)
                xml.element("RecommendDoc", Bytes("https://api.aliyun.com/troubleshoot?q=") + errorCode)
            }
        }
        return xml
    }
}

extension ServiceError {
    static func noSuchKey(_ key: Bytes) -> ServiceError {
        ServiceError(
            404, "NoSuchKey", "The specified key does not exist.", ec: "0026-00000001",
            details: [.init(name: "Key", value: key)])
    }

    static func noSuchBucket(_ bucket: Bytes) -> ServiceError {
        ServiceError(
            404, "NoSuchBucket", "The specified bucket does not exist.", ec: "0015-00000101",
            details: [.init(name: "BucketName", value: bucket)])
    }

    static func invalidArgument(
        _ message: StaticString, name: StaticString? = nil, value: Bytes = [], ec: StaticString? = nil
    ) -> ServiceError {
        var details: [Detail] = []
        if let name {
            details = [.init(name: "ArgumentName", value: Bytes(name)), .init(name: "ArgumentValue", value: value)]
        }
        return ServiceError(400, "InvalidArgument", message, ec: ec, details: details)
    }

    static func malformedXML(_ message: StaticString) -> ServiceError { ServiceError(400, "MalformedXML", message) }

    static func notImplemented(_ header: Bytes) -> ServiceError {
        ServiceError(
            501, "NotImplemented", "A header or parameter you provided implies functionality that is not implemented.",
            details: [.init(name: "Header", value: header)])
    }

    static func preconditionFailed(_ condition: StaticString) -> ServiceError {
        ServiceError(
            412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.",
            details: [.init(name: "Condition", value: Bytes(condition))])
    }

    static func noSuchUpload(_ id: Bytes) -> ServiceError {
        ServiceError(
            404, "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted.",
            ec: "0042-00000002", details: [.init(name: "UploadId", value: id)])
    }

    static func invalidPart(_ number: Int64?) -> ServiceError {
        ServiceError(
            400, "InvalidPart",
            """
            One or more of the specified parts could not be found or the specified entity tag might not have matched \
            the part's entity tag.
            """,
            ec: "0042-00000201",
            details: number.map { [.init(name: "PartNumber", value: Bytes(String($0).utf8))] } ?? [])
    }

    static func partNotSequential(_ number: Int64) -> ServiceError {
        ServiceError(
            400, "PartNotSequential", "The part is not the one that follows in a sequential upload.",
            details: [.init(name: "PartNumber", value: Bytes(String(number).utf8))])
    }

    static func invalidRange(size: UInt64, requested: Bytes) -> ServiceError {
        ServiceError(
            416, "InvalidRange", "The requested range cannot be satisfied.",
            details: [
                .init(name: "ActualObjectSize", value: Bytes(String(size).utf8)),
                .init(name: "RangeRequested", value: requested),
            ])
    }

    static func symlinkTargetNotExist(_ target: Bytes) -> ServiceError {
        ServiceError(
            404, "SymlinkTargetNotExist", "The symlink target object does not exist", ec: "0026-00000012",
            details: [.init(name: "TargetObject", value: target)])
    }

    static func invalidTargetType(_ target: Bytes) -> ServiceError {
        ServiceError(
            400, "InvalidTargetType", "The symbolic's target object type is invalid.", ec: "0026-00000011",
            details: [.init(name: "TargetObject", value: target)])
    }

    static func noSuchVersion(_ key: Bytes, _ version: Bytes) -> ServiceError {
        ServiceError(
            404, "NoSuchVersion", "The specified version does not exist.", ec: "0026-00000003",
            details: [.init(name: "Key", value: key), .init(name: "VersionId", value: version)])
    }

    /// For a read of the mark that a deletion left.
    static func isDeleteMarker(_ version: Bytes) -> ServiceError {
        var error = ServiceError(
            405, "MethodNotAllowed", "The specified method is not allowed against this resource.",
            details: [.init(name: "ResourceType", value: Bytes("DeleteMarker"))])
        error.headers.append("x-oss-delete-marker", Bytes("true"))
        error.headers.append("x-oss-version-id", version)
        return error
    }

    static func operationNotSupported(_ key: Bytes) -> ServiceError {
        ServiceError(
            400, "OperationNotSupported", "The operation is not supported for this resource",
            details: [.init(name: "ObjectName", value: key)])
    }

    /// For a bucket of another region, which `endpoint` serves.
    static func servedElsewhere(
        _ request: Request, _ endpoint: Bytes, _ answer: ServiceAnswers.WrongRegion
    ) -> ServiceError {
        var error = ServiceError(
            403, "AccessDenied",
            """
            The bucket you are attempting to access must be addressed using the specified endpoint. \
            Please send all future requests to this endpoint.
            """,
            details: [.init(name: "Bucket", value: request.bucket), .init(name: "Endpoint", value: endpoint)])
        guard answer == .redirect else { return error }
        (error.status, error.code) = (301, Bytes("PermanentRedirect"))
        let path = PercentCoding.encode(request.key, keepsSlash: true)
        error.headers.append("Location", Bytes("http://") + request.bucket + [0x2E] + endpoint + [0x2F] + path)
        return error
    }

    static let notModified = ServiceError(304, "NotModified", "Not modified.")

    static let fileAlreadyExists = ServiceError(
        409, "FileAlreadyExists", "The object you specified already exists and can not be overwritten.")

    static let entityTooLarge = ServiceError(
        400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed object size.")

    static let invalidDigest = ServiceError(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")

    static let internalError = ServiceError(500, "InternalError", "Please contact the server side for this error.")
}
