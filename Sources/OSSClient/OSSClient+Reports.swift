import HTTPTransport
import ObjectStore

extension OSSClient {
    package func usage(_ context: RequestContext) throws(ObjectStoreError) -> BucketUsage {
        try report(.getBucketStat, QueryItem("stat"), context) { document in
            guard
                let fields = ReplyFields.read(
                    document, root: "BucketStat", ["Storage", "ObjectCount", "MultipartUploadCount"])
            else { return nil }
            let numbers = fields.map { $0.flatMap(ReplyHeaders.number).map { Int64(clamping: $0) } }
            guard let bytes = numbers[0], let objects = numbers[1] else { return nil }
            return BucketUsage(bytes: bytes, objects: objects, uploads: numbers[2] ?? 0)
        }
    }

    package func description(_ context: RequestContext) throws(ObjectStoreError) -> BucketDescription {
        try report(.getBucketInfo, QueryItem("bucketInfo"), context) { document in
            guard
                let fields = ReplyFields.read(
                    document, root: "BucketInfo", ["Location", "StorageClass", "Versioning"]),
                let location = fields[0]
            else { return nil }
            let versioning: Versioning =
                switch fields[2] {
                case Array("Enabled".utf8): .enabled
                case Array("Suspended".utf8): .suspended
                default: .never
                }
            return BucketDescription(location: location, storageClass: fields[1] ?? [], versioning: versioning)
        }
    }

    private func report<Value>(
        _ operation: OSSOperation, _ item: QueryItem, _ context: RequestContext, _ read: ([UInt8]) -> Value?
    ) throws(ObjectStoreError) -> Value {
        try repeating(operation, nil, context) { (state) throws(AttemptFailure) in
            let answer = try exchange(OSSRequest(operation: operation, method: "GET", query: [item]), &state)
            guard let value = read(answer.body) else {
                throw state.failure(
                    .unexpected, .doubtful, status: answer.head.status, "the answer doesn't describe the bucket")
            }
            return value
        }
    }
}
