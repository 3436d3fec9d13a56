/// What nobody here could ask the real service: each question has the answers that its documentation and its clients
/// allow for, and `--answer` picks one. A client must live with all of them.
package struct ServiceAnswers: Equatable, Sendable {
    /// A request for a bucket that is served in another region.
    enum WrongRegion: String, CaseIterable { case denied, redirect }
    /// A V4 signature whose date is too far off; V1 always gets the first.
    enum FarDate: String, CaseIterable { case skewed, invalid }
    /// Whether a signature that doesn't hold is told with what was signed.
    enum Mismatch: String, CaseIterable { case full, bare }
    /// Temporary keys whose time is over.
    enum ExpiredToken: String, CaseIterable { case expired, invalid, unknown, denied }
    /// A blank in what `encoding-type=url` encodes.
    enum ListingSpace: String, CaseIterable {
        case percent = "%20"
        case plus = "+"
    }
    /// When a listing shows what was put or deleted.
    enum Listings: String, CaseIterable {
        case atOnce = "at-once"
        case late
    }
    /// The first page of a listing.
    enum FirstPage: String, CaseIterable { case full, empty }
    /// What the deletion of many objects gets done.
    enum DeleteMany: String, CaseIterable { case all, partial }
    /// The longest document of that request.
    enum DeleteDocument: String, CaseIterable {
        case any
        case short = "2MB"
    }
    /// `If-Match` and `If-None-Match` of what writes an object.
    enum WriteConditions: String, CaseIterable { case ignored, honoured, refused }
    /// `x-oss-forbid-overwrite` in a bucket that keeps versions, or kept some.
    enum ForbidOverwrite: String, CaseIterable { case ignored, honoured }
    /// Whether an object that grows by appends can be copied.
    enum CopyAppendable: String, CaseIterable { case accepted, unversioned, refused }
    /// The same for its use as a part.
    enum PartCopyAppendable: String, CaseIterable { case accepted, refused }
    /// The ACL of a copy for which none is asked.
    enum CopyACL: String, CaseIterable {
        case fresh = "default"
        case kept
    }
    /// The longest object that is copied to another storage class.
    enum CopyClassLimit: String, CaseIterable {
        case five = "5GB"
        case one = "1GB"
    }
    /// User metadata of appends after the first.
    enum AppendMetadata: String, CaseIterable { case first, last }
    /// The status of RestoreObject.
    enum RestoreStatus: String, CaseIterable {
        case byState = "by-state"
        case ok = "200"
        case accepted = "202"
    }
    /// Whether GET and HEAD tell the checksum, which objects of old lack.
    enum Checksum: String, CaseIterable { case told, absent }
    /// How old the numbers of GetBucketStat are.
    enum BucketStat: String, CaseIterable {
        case fresh = "now"
        case hourly
    }
    /// Whether GetBucketInfo tells of a hierarchical namespace.
    enum NamespaceFlag: String, CaseIterable { case absent, told }
    /// What the calls of a hierarchical namespace get in a bucket without one.
    enum NamespaceRefusal: String, CaseIterable { case denied, unknown }
    /// How `x-oss-rename-source` is written.
    enum RenameSource: String, CaseIterable { case encoded, raw }

    var wrongRegion = WrongRegion.denied
    var farDate = FarDate.skewed
    var mismatch = Mismatch.full
    var expiredToken = ExpiredToken.expired
    var listingSpace = ListingSpace.percent
    var listings = Listings.atOnce
    var firstPage = FirstPage.full
    var deleteMany = DeleteMany.all
    var deleteDocument = DeleteDocument.any
    var writeConditions = WriteConditions.ignored
    var forbidOverwrite = ForbidOverwrite.ignored
    var copyAppendable = CopyAppendable.accepted
    var partCopyAppendable = PartCopyAppendable.accepted
    var copyACL = CopyACL.fresh
    var copyClassLimit = CopyClassLimit.five
    var appendMetadata = AppendMetadata.first
    var restoreStatus = RestoreStatus.byState
    var checksum = Checksum.told
    var bucketStat = BucketStat.fresh
    var namespaceFlag = NamespaceFlag.absent
    var namespaceRefusal = NamespaceRefusal.denied
    var renameSource = RenameSource.encoded

    package init() {}
}
