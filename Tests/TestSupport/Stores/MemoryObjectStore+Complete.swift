import Checksums
import ObjectStore
import Runtime

extension MemoryObjectStore {
    private enum Outcome {
        case made(ObjectInfo)
        case refused(ObjectStoreErrorKind, Int, String)
    }

    package func completeUpload(
        _ request: CompleteRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        let name: StaticString = "CompleteMultipartUpload"
        try enter(.completeUpload, name, request.address.key, context)
        if request.mayBeDone, let info = madeBefore(request) {
            return WriteResult(
                etag: info.etag, crc64: info.crc64, lastModified: info.lastModified, serverDate: serverDate)
        }
        // In one step: a part that comes meanwhile is either before or after.
        switch state.withLock({ complete(request, &$0) }) {
        case .refused(let kind, let status, let code): throw failure(kind, name, request.address.key, status, code)
        case .made(let info):
            if let expected = request.crc64, let crc = info.crc64, crc != expected {
                throw failure(.corrupted, name, request.address.key, 200, "")
            }
            return WriteResult(etag: info.etag, crc64: info.crc64, lastModified: nil, serverDate: serverDate)
        }
    }

    /// The object of a completion whose answer was lost, where the upload is gone and the object fits.
    private func madeBefore(_ request: CompleteRequest) -> ObjectInfo? {
        state.withLock { state in
            guard state.uploads[request.address.id] == nil, let info = state.objects[request.address.key]?.info,
                info.size == request.size, request.metadata.map({ $0.user == info.metadata.user }) ?? true
            else { return nil }
            if let expected = request.crc64, let crc = info.crc64 { return crc == expected ? info : nil }
            return info.type == .multipart ? info : nil
        }
    }

    private func complete(_ request: CompleteRequest, _ state: inout State) -> Outcome {
        let (key, id) = (request.address.key, request.address.id)
        guard let upload = state.uploads[id], upload.key == key else {
            return .refused(.noSuchUpload, 404, "NoSuchUpload")
        }
        guard !request.parts.isEmpty else { return .refused(.invalidRequest, 400, "MalformedXML") }
        var bytes: [UInt8] = []
        var last: CompletedPart?
        for wanted in request.parts {
            if let last, last.number >= wanted.number { return .refused(.invalidRequest, 400, "InvalidPartOrder") }
            guard let part = upload.parts[wanted.number], part.result.etag == wanted.etag else {
                return .refused(.invalidRequest, 400, "InvalidPart")
            }
            let isLast = wanted.number == request.parts.last?.number
            guard isLast || part.result.size >= capabilities.minimumPartBytes else {
                return .refused(.invalidRequest, 400, "EntityTooSmall")
            }
            bytes += part.bytes
            last = wanted
        }
        guard Int64(bytes.count) <= capabilities.maximumObjectBytes else {
            return .refused(.tooLarge, 400, "EntityTooLarge")
        }
        if request.forbidOverwrite, capabilities.hasExclusiveCreate, state.objects[key] != nil {
            return .refused(.alreadyExists, 409, "FileAlreadyExists")
        }
        let crc = bytes.withUnsafeBytes { CRC64.of($0) }
        var info = makeInfo(bytes: bytes, crc: crc, metadata: upload.metadata)
        info.type = .multipart
        // Other than a put's of the same bytes, and with the number of parts, as OSS's.
        info.etag = ETag(info.etag.bytes.dropLast() + Array("-P-\(request.parts.count)\"".utf8))
        var object = Stored(bytes: bytes, info: info)
        object.apply(upload.properties)
        if let acl = request.acl { object.acl = acl }
        state.store(object, at: key)
        state.uploads[id] = nil
        return .made(object.info)
    }
}
