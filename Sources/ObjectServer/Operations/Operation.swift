/// What a request asks for, by OSS's names: what counts, logs and fault rules go by.
enum Operation: String, CaseIterable, Sendable {
    case getBucketInfo = "GetBucketInfo"
    case getBucketLocation = "GetBucketLocation"
    case listObjects = "ListObjects"
    case listObjectsV2 = "ListObjectsV2"
    case headObject = "HeadObject"
    case getObjectMeta = "GetObjectMeta"
    case getObject = "GetObject"
    case putObject = "PutObject"
    case copyObject = "CopyObject"
    case deleteObject = "DeleteObject"
    case deleteMultipleObjects = "DeleteMultipleObjects"
    case initiateMultipartUpload = "InitiateMultipartUpload"
    case uploadPart = "UploadPart"
    case uploadPartCopy = "UploadPartCopy"
    case completeMultipartUpload = "CompleteMultipartUpload"
    case abortMultipartUpload = "AbortMultipartUpload"
    case listParts = "ListParts"
    case listMultipartUploads = "ListMultipartUploads"
    /// Anything that this server doesn't know.
    case unknown = "Unknown"
}
