import Instrumentation
import ObjectStore
import Runtime

/// What a listing said of one name.
enum ListedName: Sendable {
    /// A common prefix: a directory, with or without a marker.
    case directory
    case object(ListedObject)
}

/// What a listing said of one object.
struct ListedObject: Sendable, Hashable {
    var size: Int64
    var etag: ETag
    var lastModified: WallTime
    var crc64: UInt64?
}

/// What is known of one directory's names.
struct DirectoryState {
    /// A whole listing, kept up with our own changes.
    struct Listing {
        var names: [FileName: ListedName]
        /// When its first request was sent: the server's word is as old as that.
        var startedAt: Deadline
    }

    /// The nodes of its names, as far as there are any.
    var children: [FileName: Node] = [:]
    var listing: Listing?
    /// Names that the server said are absent, and when; bounded by `absentLimit`.
    private(set) var absent: [FileName: Deadline] = [:]
    /// Names that we changed, and when: a listing begun before doesn't know.
    private(set) var changes: [FileName: Deadline] = [:]
    /// Changes before this are no longer noted.
    private var changesKnownSince = Deadline(nanoseconds: 0)
    /// The marker's attributes; nil fields mean the defaults.
    var metadata: PosixMetadata?
    /// All metadata that the marker has, to keep what is not ours.
    var marker: ObjectMetadata?
    /// When the server last spoke of the attributes, and of the directory being there.
    var metadataCheckedAt: Deadline?
    var checkedAt: Deadline?
    /// In memory only, by its own entries.
    var modificationTime: WallTime?
    /// How many of its keys can't be shown as files, as last said in the log.
    var hiddenKeys = 0
    /// Lookups that needed the server since the last listing.
    private var misses = 0
    /// How many pages a whole listing will take, as far as is known; 0 where nothing is.
    private var pagesExpected = 0

    /// A thousand: a program that looks for the same few names keeps them, one that tries all costs little memory.
    private static let absentLimit = 1000

    /// 20,000 notes span a listing of a large directory under a copy of a thousand files a second.
    private static let changeLimit = 20_000

    /// Notes a lookup that memory can't answer; how many pages to fetch instead of asking for that name, 0 for none.
    ///
    /// A name alone costs two requests, so a listing pays once half as many names were asked for as it has pages; of an
    /// unknown directory two pages are tried at the third name.
    mutating func noteMiss() -> Int {
        misses += 1
        if pagesExpected == 0 { return misses >= 3 ? 2 : 0 }
        return pagesExpected <= Self.mostPages && misses >= (pagesExpected + 1) / 2 ? pagesExpected + 1 : 0
    }

    /// Notes that `pages` pages were not all: four times as many may be, and are tried when that many lookups want it.
    mutating func noteUnfinishedListing(pages: Int) {
        misses = 0
        pagesExpected = pages * 4
    }

    /// 64 pages, 64,000 names: past that a listing takes longer than a few names' own answers.
    private static let mostPages = 64

    /// Notes that the server said that there is no such name.
    mutating func noteAbsent(_ name: FileName, at time: Deadline) {
        if absent.count >= Self.absentLimit { absent.removeAll(keepingCapacity: true) }
        absent[name] = time
    }

    /// Takes the server's word on one name into the listing; it doesn't make the others younger.
    mutating func noteAnswer(for name: FileName, _ listed: ListedName?) {
        listing?.names[name] = listed
        if listed != nil { absent[name] = nil }
    }

    /// When the server said that `name` is absent.
    func absentSince(_ name: FileName) -> Deadline? { absent[name] }

    /// Whether the name is there must be asked again.
    mutating func forgetAbsent(_ name: FileName) { absent[name] = nil }

    /// Enters a change of our own: what the name now is, nil for nothing.
    mutating func noteChange(_ name: FileName, to listed: ListedName?, at time: Deadline, wall: WallTime) {
        if changes.count >= Self.changeLimit { forgetOldChanges(before: time) }
        changes[name] = time
        absent[name] = nil
        listing?.names[name] = listed
        if listed == nil { noteAbsent(name, at: time) }
        modificationTime = wall
    }

    /// Whether a change of our own came after `time`, when the server was asked.
    func hasChanged(_ name: FileName, since time: Deadline) -> Bool {
        changes[name].map { $0 >= time } ?? false
    }

    /// Drops the older half of the notes; listings that were begun before are then not installed.
    private mutating func forgetOldChanges(before time: Deadline) {
        let times = changes.values.sorted()
        changesKnownSince = times.isEmpty ? time : times[times.count / 2]
        let floor = changesKnownSince
        changes = changes.filter { $0.value >= floor }
    }

    /// Installs a whole listing that was begun at `startedAt`, with our later changes over it.
    mutating func install(_ names: [FileName: ListedName], startedAt: Deadline) {
        guard startedAt >= changesKnownSince else { return }
        var merged = names
        for (name, time) in changes where time >= startedAt {
            let ours = listing?.names[name] ?? children[name].map(Self.listed)
            merged[name] = absent[name] == nil ? (ours ?? merged[name]) : nil
        }
        // Files that the bucket doesn't have yet are here all the same, however long ago they were made.
        for (name, child) in children where child.file?.isUnsent == true { merged[name] = Self.listed(child) }
        listing = Listing(names: merged, startedAt: startedAt)
        misses = 0
        pagesExpected = merged.count / 1000 + 1
    }

    private static func listed(_ node: Node) -> ListedName {
        guard let file = node.file else { return .directory }
        return file.listed
    }
}
