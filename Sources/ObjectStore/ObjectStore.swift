import Instrumentation
import Runtime

// ObjectStore: the contract between the file system and whatever holds its objects.
//
// Parts: `ObjectStore`, the calls, with a protocol for each further family of them (`MultipartUploads`, `ObjectSets`,
// `ObjectAppends`, `ObjectLinks`, `ObjectAnnotations`, `ObjectVersions`, `ObjectProcessing`, `BucketReports`);
// `StoreCapabilities` with `StoreFeatures`, what a store can do, so that nobody asks for its name: what it can't throws
// `unsupported`;
// `ObjectKey`, `FileName`, `ETag`, bytes that are compared as bytes; `ObjectInfo` and `ListPage`, what comes back;
// `ObjectStoreError`, with its kind and whether a repeat can help decided once, where the answer is parsed.
//
// Invariants. Every call blocks its thread until it is done, its deadline has passed or its cancellation is set, and
// retries within the deadline what a repeat can mend; so an error that comes out is final. A put is visible whole or
// not at all. An error never says that an object is absent unless the server said so: throttling, outages and timeouts
// are `unavailable` or `throttled`. Keys and values are bytes throughout.
//
// Not here: how requests are signed or sent, what a file is, any policy of caching. No I/O.
//
// Rejected: async functions (a blocking call inside a task stops all of two cores' tasks) and completion handlers for
// every call (a thread that waits is cheap, and its code reads in order). `get` hands its bytes on as they arrive.

/// What bounds one call: it ends at `deadline` with kind `unavailable`, or with `cancelled` once `cancellation` is set.
package struct RequestContext: Sendable {
    package let deadline: Deadline
    package let cancellation: Cancellation?

    package init(deadline: Deadline, cancellation: Cancellation? = nil) {
        self.deadline = deadline
        self.cancellation = cancellation
    }
}

/// A bucket, or a part of one, of an object storage service.
///
/// Every call may be made from any thread, several at once, and throws `ObjectStoreError` alone.
package protocol ObjectStore: MultipartUploads, ObjectSets, ObjectAppends, ObjectLinks, ObjectAnnotations,
    ObjectVersions, ObjectProcessing, BucketReports
{
    /// What this store can do; constant over its life.
    var capabilities: StoreCapabilities { get }

    /// Asks whether the bucket is there and these credentials may list it, by one cheap request.
    func probe(_ context: RequestContext) throws(ObjectStoreError)

    /// One page of the keys in byte order.
    func list(_ request: ListRequest, _ context: RequestContext) throws(ObjectStoreError) -> ListPage

    /// The object's size, version and metadata; kind `notFound` if the server says that there is none.
    func head(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo

    /// Sends the object's bytes, or those of a range, to `receiver` in order; returns once all have been handed over.
    ///
    /// A connection that breaks midway is repeated from where it broke, pinned to the first reply's ETag. With
    /// `GetRequest.ifMatch`, or midway, another version is `preconditionFailed`. A whole object's CRC-64 is compared
    /// with the server's: a difference is `corrupted`. A range that starts at or past the end is `invalidRange`.
    @discardableResult
    func get(
        _ request: GetRequest, into receiver: any ObjectReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo

    /// Creates or replaces the object, whole. With `PutRequest.forbidOverwrite`, an existing one is `alreadyExists`.
    ///
    /// The server's CRC-64 is compared with the body's: a difference is `corrupted` after repeats, and the object then
    /// holds what the server has. After any other error the object is the old or the new one, whole.
    func put(
        _ request: PutRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult

    /// Copies an object inside the store; onto itself with `replacing` it changes metadata alone.
    func copy(_ request: CopyRequest, _ context: RequestContext) throws(ObjectStoreError) -> WriteResult

    /// Removes the object; done as well when there was none.
    func delete(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError)
}

/// What a store can do.
package struct StoreCapabilities: Sendable, Equatable {
    /// The longest key in bytes.
    package var maximumKeyBytes: Int
    /// The most bytes of user metadata, names and values together.
    package var maximumMetadataBytes: Int
    /// The largest object that one put can send.
    package var maximumPutBytes: Int64
    /// The largest object that one copy can copy.
    package var maximumCopyBytes: Int64
    /// Whether `PutRequest.forbidOverwrite` is honoured.
    package var hasExclusiveCreate: Bool
    /// Whether replies carry a CRC-64 of the whole object.
    package var hasCRC64: Bool
    /// The least size of every part of an upload but the last.
    package var minimumPartBytes: Int64
    /// The largest size of a part, sent or copied.
    package var maximumPartBytes: Int64
    /// The most parts of an upload, and the greatest number of one.
    package var maximumParts: Int
    /// The largest object, however it is made.
    package var maximumObjectBytes: Int64
    /// Whether a part can be copied from an object's range.
    package var hasPartCopy: Bool
    /// The families of calls that it has.
    package var features: StoreFeatures
    /// The largest object that can be made by appending; 0 without `StoreFeatures.append`.
    package var maximumAppendedBytes: Int64

    package init(
        maximumKeyBytes: Int, maximumMetadataBytes: Int, maximumPutBytes: Int64, maximumCopyBytes: Int64,
        hasExclusiveCreate: Bool, hasCRC64: Bool, minimumPartBytes: Int64, maximumPartBytes: Int64, maximumParts: Int,
        maximumObjectBytes: Int64, hasPartCopy: Bool, features: StoreFeatures = [], maximumAppendedBytes: Int64 = 0
    ) {
        self.maximumKeyBytes = maximumKeyBytes
        self.maximumMetadataBytes = maximumMetadataBytes
        self.maximumPutBytes = maximumPutBytes
        self.maximumCopyBytes = maximumCopyBytes
        self.hasExclusiveCreate = hasExclusiveCreate
        self.hasCRC64 = hasCRC64
        self.features = features
        self.maximumAppendedBytes = maximumAppendedBytes
        self.minimumPartBytes = minimumPartBytes
        self.maximumPartBytes = maximumPartBytes
        self.maximumParts = maximumParts
        self.maximumObjectBytes = maximumObjectBytes
        self.hasPartCopy = hasPartCopy
    }
}

/// Where the bytes of a `get` go.
///
/// Both calls come from a thread of the store, one after the other, and must not block. The bytes die with the call.
package protocol ObjectReceiver: Sendable {
    /// The reply's headers have arrived; comes once, before any bytes, also when none follow.
    func begin(_ info: ObjectInfo)

    /// The next bytes, which stand at `offset` of the object. False ends the `get` with kind `cancelled`.
    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool
}

/// The bytes of a `put`; must stay the same until the call returns, as a repeat reads them again.
package protocol ObjectBody: Sendable {
    /// The length in bytes.
    var count: Int64 { get }

    /// CRC-64 of the whole, where the caller has it already; the store computes it otherwise.
    var crc64: UInt64? { get }

    /// Copies bytes from `offset` on into `buffer` and returns how many, at least one; called from a thread of the
    /// store, must not block.
    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int
}
