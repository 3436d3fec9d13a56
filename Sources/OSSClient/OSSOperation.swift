import Runtime

/// The calls of OSS that this client makes, by the service's own names.
package enum OSSOperation: Int, Sendable, Hashable, CaseIterable {
    case listObjects, headObject, getObject, putObject, copyObject, deleteObject
    case deleteObjects, appendObject, putSymlink, getSymlink, getObjectMeta, getTagging, putTagging, deleteTagging
    case getACL, putACL, restoreObject, listVersions, getBucketStat, getBucketInfo
    case initiateUpload, uploadPart, copyPart, listParts, completeUpload, abortUpload, listUploads

    package var name: StaticString {
        switch self {
        case .listObjects: "ListObjectsV2"
        case .headObject: "HeadObject"
        case .getObject: "GetObject"
        case .putObject: "PutObject"
        case .copyObject: "CopyObject"
        case .deleteObject: "DeleteObject"
        case .deleteObjects: "DeleteMultipleObjects"
        case .appendObject: "AppendObject"
        case .putSymlink: "PutSymlink"
        case .getSymlink: "GetSymlink"
        case .getObjectMeta: "GetObjectMeta"
        case .getTagging: "GetObjectTagging"
        case .putTagging: "PutObjectTagging"
        case .deleteTagging: "DeleteObjectTagging"
        case .getACL: "GetObjectACL"
        case .putACL: "PutObjectACL"
        case .restoreObject: "RestoreObject"
        case .listVersions: "ListObjectVersions"
        case .getBucketStat: "GetBucketStat"
        case .getBucketInfo: "GetBucketInfo"
        case .initiateUpload: "InitiateMultipartUpload"
        case .uploadPart: "UploadPart"
        case .copyPart: "UploadPartCopy"
        case .listParts: "ListParts"
        case .completeUpload: "CompleteMultipartUpload"
        case .abortUpload: "AbortMultipartUpload"
        case .listUploads: "ListMultipartUploads"
        }
    }

    /// Whether the service works on bytes of its own before it answers, so that silence says little.
    var isWorkOfServer: Bool {
        switch self {
        case .copyObject, .copyPart, .completeUpload: true
        default: false
        }
    }
}

/// Counts what a client sends; read by its owner, never reset.
package final class RequestCounters: Sendable {
    package struct Counts: Sendable, Hashable {
        /// Requests sent, repeats among them.
        package var requests: [OSSOperation: UInt64] = [:]
        /// Those that repeated a failed one.
        package var repeats: UInt64 = 0
        /// Calls that ended in an error, an absent object not counted.
        package var failures: UInt64 = 0

        package var total: UInt64 { requests.values.reduce(0, +) }
    }

    // Guards the numbers; a leaf lock.
    private let counts = Locked(Counts())

    package init() {}

    package var now: Counts { counts.withLock { $0 } }

    func countRequest(_ operation: OSSOperation) { counts.withLock { $0.requests[operation, default: 0] += 1 } }

    func countRepeat() { counts.withLock { $0.repeats += 1 } }

    func countFailure() { counts.withLock { $0.failures += 1 } }
}
