import Glibc
import Instrumentation
import ObjectStore
import Runtime

/// Gathers the pages of one directory's listing into names.
struct ListingBuilder: Sendable {
    /// What stands in the names' place: the directory's prefix.
    let prefix: [UInt8]
    let isRoot: Bool
    private(set) var names: [FileName: ListedName] = [:]
    /// The order of arrival, for streams.
    private(set) var order: [FileName] = []
    /// Keys that no file can show: `a//b`, `.` and `..` segments, names over 255 bytes, an object beside a directory.
    private(set) var hidden: [ObjectKey] = []

    init(prefix: [UInt8], isRoot: Bool) {
        self.prefix = prefix
        self.isRoot = isRoot
    }

    /// Adds a page.
    mutating func add(_ page: ListPage) {
        for row in page.rows {
            // The directory's own marker.
            if row.key.bytes.count == prefix.count { continue }
            guard let name = FileName(row.key.bytes.dropFirst(prefix.count)) else {
                hidden.append(row.key)
                continue
            }
            enter(.object(ListedObject(row)), name, key: row.key)
        }
        for common in page.commonPrefixes {
            guard let name = FileName(common.bytes.dropFirst(prefix.count).dropLast()) else {
                hidden.append(common)
                continue
            }
            if isRoot, name.bytes == FileSystem.hiddenName { continue }
            enter(.directory, name, key: common)
        }
    }

    private mutating func enter(_ listed: ListedName, _ name: FileName, key: ObjectKey) {
        switch (names[name], listed) {
        case (nil, _):
            order.append(name)
            names[name] = listed
        case (.directory?, .object): hidden.append(key)
        case (.object?, .directory):
            hidden.append(ObjectKey(key.bytes.dropLast()))
            names[name] = .directory
        case (.directory?, .directory), (.object?, .object): names[name] = listed
        }
    }
}

extension FileSystem {
    /// `list`, by one thread at a time for a directory; who comes meanwhile waits for that one, and looks again.
    func listOnce(
        _ request: ListRequest, into directory: InodeNumber, pages: Int, _ context: RequestContext
    ) throws(FileSystemError) {
        let number = context.cancellation?.onCancel { [self] in listings.wakeAll() }
        defer { if let number { context.cancellation?.remove(number) } }
        let isMine = listings.withLock { $0.insert(directory).inserted }
        if isMine {
            defer {
                _ = listings.withLock { $0.remove(directory) }
                listings.wakeAll()
            }
            return try list(request, into: directory, pages: pages, context)
        }
        let isDone: Bool? = listings.wait(until: context.deadline) { running -> Bool? in
            if context.cancellation?.isCancelled == true { return false }
            return running.contains(directory) ? nil : true
        }
        switch isDone {
        case true?: return
        case false?: throw FileSystemError(EINTR)
        case nil: throw FileSystemError(EIO, "The listing did not arrive in time.", level: .warning)
        }
    }

    /// Fetches up to `pages` pages of a directory's listing, and installs it if that is all of it.
    private func list(
        _ first: ListRequest, into directory: InodeNumber, pages: Int, _ context: RequestContext
    ) throws(FileSystemError) {
        let startedAt = clock.monotonic
        var builder = ListingBuilder(prefix: first.prefix, isRoot: directory == .root)
        var request = first
        for _ in 0..<pages {
            let page: ListPage
            do throws(ObjectStoreError) {
                page = try store.list(request, context)
            } catch {
                throw FileSystemError(error)
            }
            builder.add(page)
            guard let next = page.next else {
                install(builder, startedAt: startedAt, into: directory)
                return
            }
            request.continuation = next
        }
        table.withLock { table in table[directory]?.directory.noteUnfinishedListing(pages: pages) }
    }

    /// Makes a whole listing the directory's, and says once what it hides.
    func install(_ builder: ListingBuilder, startedAt: Deadline, into directory: InodeNumber) {
        let newlyHidden = table.withLock { table in
            guard let node = table[directory] else { return 0 }
            node.directory.install(builder.names, startedAt: startedAt)
            node.directory.checkedAt = max(node.directory.checkedAt ?? startedAt, startedAt)
            let new = max(0, builder.hidden.count - node.directory.hiddenKeys)
            node.directory.hiddenKeys = max(node.directory.hiddenKeys, builder.hidden.count)
            table.hiddenKeys += new
            return new
        }
        if newlyHidden > 0, let example = builder.hidden.first {
            log(
                .warning, "keys hidden that can not be shown as files",
                [LogField("count", newlyHidden), LogField("example", example.bytes)])
        }
    }
}
