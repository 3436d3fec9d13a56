import ObjectStore
import Runtime

/// One opendir: a snapshot that grows page by page, in which an offset always means the same place.
final class DirectoryStream: Sendable {
    struct State {
        var builder: ListingBuilder
        /// The names in the order in which they are shown; offset n + 2 is after names[n], as `.` and `..` come first.
        var names: [FileName] = []
        /// How many of the builder's names have been taken into `names`.
        var taken = 0
        var continuation: ContinuationToken?
        var startedAt: Deadline?
        var isComplete = false
        /// One thread at a time fetches.
        var isFetching = false
    }

    let inode: InodeNumber
    /// Guards the snapshot; rank: stream.
    let state: Locked<State>

    init(inode: InodeNumber, prefix: [UInt8]) {
        self.inode = inode
        state = Locked(State(builder: ListingBuilder(prefix: prefix, isRoot: inode == .root)))
    }
}

extension DirectoryStream.State {
    /// Forgets the snapshot: the program went back to the start and must see what is there now.
    mutating func rewind() {
        self = Self(builder: ListingBuilder(prefix: builder.prefix, isRoot: builder.isRoot))
    }

    /// Takes the names of a directory that is known whole.
    mutating func fill(with known: [FileName], startedAt: Deadline) {
        names = known
        self.startedAt = startedAt
        isComplete = true
    }

    /// Adds a page; `extra` are names that only this mount knows of, shown once the last page is there.
    mutating func add(_ page: ListPage) {
        builder.add(page)
        names.append(contentsOf: builder.order[taken...])
        taken = builder.order.count
        continuation = page.next
        isComplete = page.next == nil
    }
}
