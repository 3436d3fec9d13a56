/// Objects that are sent in parts: begun, filled in any order, and made visible at once by `completeUpload`.
///
/// An upload lives at the service until it is completed or aborted; what it holds is paid for and seen by nobody. One
/// that the service doesn't know (any more) is `noSuchUpload`, whatever the call: it must be begun anew.
package protocol MultipartUploads: Sendable {
    /// Begins an upload, and fixes the object's metadata and properties.
    ///
    /// Where an answer is lost the call is repeated and an upload without parts may stay behind, to be found by
    /// `listUploads`.
    func initiateUpload(_ request: InitiateRequest, _ context: RequestContext) throws(ObjectStoreError) -> UploadAddress

    /// Sends a part; one of the same number is replaced. May be repeated, by the caller too.
    ///
    /// The server's CRC-64 is compared with the body's: a difference is `corrupted` after repeats, and the part then
    /// holds what the server has. Parts under `minimumPartBytes` are refused not here but at the completion.
    func uploadPart(
        _ address: UploadAddress, _ number: PartNumber, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult

    /// Makes a part of bytes that an object of this store has already; only with `hasPartCopy`, else `unsupported`.
    ///
    /// May be repeated. An absent source is `notFound`, one of another version `preconditionFailed`.
    func copyPart(
        _ address: UploadAddress, _ number: PartNumber, from source: PartCopySource, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartResult

    /// One page of the parts that are there, by number.
    ///
    /// - Parameters:
    ///   - number: only parts after this one; nil begins at the first.
    ///   - limit: 1 to 1000.
    func listParts(
        _ address: UploadAddress, after number: PartNumber?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> PartPage

    /// Makes the object of the parts, whole; the upload is gone with that.
    ///
    /// Where an answer was lost, the object itself tells whether it was made (`CompleteRequest`). Another CRC-64 than
    /// expected is `corrupted`: the object is then there with the bytes that the server has, and the upload is gone.
    /// `alreadyExists`, and `invalidRequest` for parts that are missing, changed, out of order or too small, leave the
    /// upload and the old object as they were. After `unavailable` the object is the old or the new one, whole; a
    /// further call with `mayBeDone` finds out.
    func completeUpload(_ request: CompleteRequest, _ context: RequestContext) throws(ObjectStoreError) -> WriteResult

    /// Gives an upload up, with its parts; done as well where there was none.
    ///
    /// A part that is being sent meanwhile may stay behind, and with it the upload: abort again once that has ended.
    func abortUpload(_ address: UploadAddress, _ context: RequestContext) throws(ObjectStoreError)

    /// One page of the uploads that were begun and neither completed nor aborted, by key, then by id.
    ///
    /// - Parameters:
    ///   - prefix: only of keys that start with these bytes.
    ///   - marker: `UploadPage.next` of the page before; nil begins at the first. An empty id is after all of the key's.
    ///   - limit: 1 to 1000.
    func listUploads(
        prefix: [UInt8], after marker: UploadAddress?, limit: Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> UploadPage
}

/// The server's name of an upload; opaque bytes.
package struct UploadID: Hashable, Sendable {
    package let bytes: [UInt8]
    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}

/// Which upload: an id means nothing without its key.
package struct UploadAddress: Hashable, Sendable {
    package var key: ObjectKey
    package var id: UploadID

    package init(key: ObjectKey, id: UploadID) {
        self.key = key
        self.id = id
    }
}

/// Where a part stands among the others, 1 to 10,000; numbers may be left out.
package struct PartNumber: Hashable, Comparable, Sendable {
    package let value: Int

    /// Those that OSS takes, as S3 does.
    package static let range = 1...10_000

    /// Nil outside `range`.
    package init?(_ value: Int) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    package static func < (left: PartNumber, right: PartNumber) -> Bool { left.value < right.value }
}

/// What to begin.
package struct InitiateRequest: Hashable, Sendable {
    package var key: ObjectKey
    /// Of the object to be; can't be changed before it is there.
    package var metadata: ObjectMetadata
    /// The same. OSS documents an ACL for the completion alone: give it there too.
    package var properties: ObjectProperties

    package init(
        key: ObjectKey, metadata: ObjectMetadata = ObjectMetadata(), properties: ObjectProperties = ObjectProperties()
    ) {
        self.key = key
        self.metadata = metadata
        self.properties = properties
    }
}

/// A part that is there.
package struct PartResult: Hashable, Sendable {
    package var number: PartNumber
    package var etag: ETag
    /// In bytes.
    package var size: Int64
    /// CRC-64/XZ of the part: of one sent, that of its bytes; of others where the service tells it.
    package var crc64: UInt64?

    package init(number: PartNumber, etag: ETag, size: Int64, crc64: UInt64? = nil) {
        self.number = number
        self.etag = etag
        self.size = size
        self.crc64 = crc64
    }
}

/// What a part is copied from.
package struct PartCopySource: Hashable, Sendable {
    package var key: ObjectKey
    /// Nil copies the whole, which costs a request more for its size. A range lies within the object: of one that passes
    /// the end, services copy a part, or everything.
    package var range: ByteRange?
    /// Only this version; another is `preconditionFailed`.
    package var ifMatch: ETag?

    package init(key: ObjectKey, range: ByteRange? = nil, ifMatch: ETag? = nil) {
        self.key = key
        self.range = range
        self.ifMatch = ifMatch
    }
}

/// A page of an upload's parts.
package struct PartPage: Hashable, Sendable {
    /// By number, ascending.
    package var parts: [PartResult]
    /// After which part the next page begins; nil on the last.
    package var next: PartNumber?

    package init(parts: [PartResult], next: PartNumber? = nil) {
        self.parts = parts
        self.next = next
    }
}

/// A part as a completion names it.
package struct CompletedPart: Hashable, Sendable {
    package var number: PartNumber
    package var etag: ETag

    package init(number: PartNumber, etag: ETag) {
        self.number = number
        self.etag = etag
    }

    package init(_ part: PartResult) { self.init(number: part.number, etag: part.etag) }
}

/// What to make of an upload.
///
/// A lost answer is settled by the object that is there: it is taken for ours where size, CRC-64 and, if given, user
/// metadata are as expected, and the service no longer knows the upload.
package struct CompleteRequest: Hashable, Sendable {
    package var address: UploadAddress
    /// Ascending by number; parts that aren't named are dropped.
    package var parts: [CompletedPart]
    /// Bytes of the whole object, as expected.
    package var size: Int64
    /// CRC-64 of the whole object, as expected; nil where nobody knows it (parts copied from bytes that have none).
    package var crc64: UInt64?
    /// What the upload was begun with, to know the object by; nil where that isn't known any more.
    package var metadata: ObjectMetadata?
    /// The object's; nil for what the upload was begun with, or the bucket's own.
    package var acl: [UInt8]?
    /// Whether an existing object is left alone (`alreadyExists`); only with `hasExclusiveCreate`.
    package var forbidOverwrite: Bool
    /// Whether an earlier call, perhaps of an earlier run, may have completed the upload and never had its answer.
    package var mayBeDone: Bool

    package init(
        address: UploadAddress, parts: [CompletedPart], size: Int64, crc64: UInt64? = nil,
        metadata: ObjectMetadata? = nil, acl: [UInt8]? = nil, forbidOverwrite: Bool = false, mayBeDone: Bool = false
    ) {
        self.address = address
        self.parts = parts
        self.size = size
        self.crc64 = crc64
        self.metadata = metadata
        self.acl = acl
        self.forbidOverwrite = forbidOverwrite
        self.mayBeDone = mayBeDone
    }
}
