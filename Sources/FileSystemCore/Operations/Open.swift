import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    /// How long open waits for a revalidation while what we know is still within its lifetime: a server that hangs
    /// must not keep cached files from being opened.
    private static let revalidationPatience = Duration.milliseconds(500)

    package func open(
        inode: InodeNumber, flags: Int32, context: OperationContext, reply: @escaping Reply<OpenedFile>
    ) {
        enum Next { case opened(OpenedFile), revalidate(mayUseOld: Bool), wait(FileContent) }
        let opener = Processes.process(of: context.caller.pid) ?? 0
        do throws(FileSystemError) {
            let next: Next = try table.withLock { table throws(FileSystemError) in
                let file = try Self.file(inode, table)
                if configuration.isReadOnly, flags & O_ACCMODE != O_RDONLY { throw FileSystemError(EROFS) }
                let now = clock.monotonic
                let isFresh = file.state.withLock { state in
                    if state.isLocal { return true }
                    let isReader = flags & O_ACCMODE == O_RDONLY
                    // An edit begins with the object as it is now, or its close would find a conflict.
                    if !isReader, flags & O_TRUNC == 0 { return false }
                    // A writer must know the object's metadata, which it is to keep; a listing tells only of the bytes.
                    let checked = isReader ? state.checkedAt : state.metadataCheckedAt
                    return checked.map { now < $0.advanced(by: Self.freshness) } ?? false
                }
                // A node without a name was replaced or removed: open(2) looks the name up again.
                guard table[inode]?.parent != nil else { throw FileSystemError(ESTALE) }
                if file.state.withLock({ $0.isLeaving }) { return .wait(file) }
                guard isFresh else {
                    let isKnown = file.state.withLock { isTrusted($0.metadataCheckedAt) || isTrusted($0.checkedAt) }
                    return .revalidate(mayUseOld: isKnown && flags & O_ACCMODE == O_RDONLY)
                }
                return .opened(try openKnown(inode, file, flags: flags, opener: opener, &table))
            }
            switch next {
            case .opened(let file): answer(file, reply) { close($0.handle) }
            case .wait(let file):
                dispatch(context, reply, undo: { [self] in close($0.handle) }) { [self] () throws(FileSystemError) in
                    let request = requestContext(context)
                    try file.waitWhileLeaving(by: request.deadline, request.cancellation)
                    return try table.withLock { table throws(FileSystemError) in
                        try openStanding(inode, flags: flags, opener: opener, &table)
                    }
                }
            case .revalidate(let mayUseOld):
                let pool = mayUseOld ? revalidations : operations
                dispatch(context, reply, on: pool, undo: { [self] in close($0.handle) }) {
                    [self] () throws(FileSystemError) in
                    try revalidate(
                        inode, isReading: flags & O_ACCMODE == O_RDONLY && flags & O_TRUNC == 0, mayUseOld: mayUseOld,
                        requestContext(context))
                    return try table.withLock { table throws(FileSystemError) in
                        try openStanding(inode, flags: flags, opener: opener, &table)
                    }
                }
            }
        } catch {
            _ = reply(.failure(error))
        }
    }

    /// Opens a file after a wait, unless its name went meanwhile: open(2) then looks that up again. Under the table's lock.
    private func openStanding(
        _ inode: InodeNumber, flags: Int32, opener: Int32, _ table: inout InodeTable
    ) throws(FileSystemError) -> OpenedFile {
        let file = try Self.file(inode, table)
        guard table[inode]?.parent != nil, !file.state.withLock({ $0.isLeaving }) else {
            throw FileSystemError(ESTALE)
        }
        return try openKnown(inode, file, flags: flags, opener: opener, &table)
    }

    /// Asks the server whether the inode is still what its name means; ESTALE, upon which open(2) looks up again, if not.
    private func revalidate(
        _ inode: InodeNumber, isReading: Bool, mayUseOld: Bool, _ context: RequestContext
    ) throws(FileSystemError) {
        let patience = mayUseOld ? Deadline.after(Self.revalidationPatience) : context.deadline
        do throws(FileSystemError) {
            let bounded = RequestContext(deadline: patience, cancellation: context.cancellation)
            if try !revalidateByGet(inode, isReading: isReading, bounded) {
                _ = try refreshAttributes(of: inode, bounded)
            }
        } catch {
            let isLate = error.errno == EIO && mayUseOld
            guard isLate else { throw error }
        }
        let isCurrent = table.withLock { $0[inode]?.parent != nil }
        guard isCurrent else { throw FileSystemError(ESTALE) }
    }

    /// Begins to read a small file that will be read as a whole anyway: the answer's headers say what a HEAD would.
    ///
    /// False where a HEAD must be asked: the file isn't small, is here already, or was replaced.
    private func revalidateByGet(
        _ inode: InodeNumber, isReading: Bool, _ context: RequestContext
    ) throws(FileSystemError) -> Bool {
        guard isReading else { return false }
        let startedAt = clock.monotonic
        let known: (reader: ObjectReader, key: ObjectKey)? = table.withLock { table in
            guard let node = table[inode], let file = node.file, let parent = node.parent, let name = node.name,
                let key = key(of: name, under: parent, table)
            else { return nil }
            return file.state.withLock { state in
                guard !state.isLocal, state.base?.isArchived != true else { return nil }
                return reader(of: &state).map { ($0, key) }
            }
        }
        guard let known, let revalidation = known.reader.revalidate(at: known.key) else { return false }
        switch revalidation.wait(until: context.deadline, context.cancellation) {
        case .current(let info)?:
            table.withLock { table in
                guard let node = table[inode], let parent = node.parent, let name = node.name else { return }
                _ = enter(.file(info), for: name, under: parent, at: startedAt, &table)
            }
            return true
        case .failed(let error)? where error.kind == .unavailable || error.kind == .throttled:
            throw FileSystemError(error)
        case .failed?, .replaced?: return false
        case nil:
            if context.cancellation?.isCancelled == true { throw FileSystemError(EINTR) }
            throw FileSystemError(EIO, "The server did not answer in time.", level: .warning)
        }
    }

    /// Opens a file that is known to be current, for the process `opener` (0: unknown); under the table's lock.
    func openKnown(
        _ inode: InodeNumber, _ file: FileContent, flags: Int32, opener: Int32, _ table: inout InodeTable
    ) throws(FileSystemError) -> OpenedFile {
        let isWritable = flags & O_ACCMODE != O_RDONLY
        let told = try file.state.withLock { state throws(FileSystemError) in
            if state.base?.isArchived == true, flags & O_TRUNC == 0 {
                throw FileSystemError(
                    EPERM, "The object is in an archive class: restore it before reading.", level: .warning)
            }
            if flags & O_ACCMODE != O_WRONLY { state.readers += 1 }
            if isWritable {
                state.writers += 1
                if flags & O_TRUNC != 0 { truncate(&state, inode, to: 0) }
            }
            return state.errorCount
        }
        table[inode]?.opens += 1
        let handle = FileHandle(
            inode: inode, file: file, isWritable: isWritable, isReadable: flags & O_ACCMODE != O_WRONLY,
            appends: flags & O_APPEND != 0,
            openerProcess: opener,
            window: ReadWindow(limits: ReadWindow.Limits(block: cache.grid.blockBytes)), toldErrors: told)
        return OpenedFile(handle: handles.withLock { $0.add(handle) }, keepsPageCache: true)
    }

    /// The regular file of that number.
    static func file(_ number: InodeNumber, _ table: InodeTable) throws(FileSystemError) -> FileContent {
        guard let node = table[number] else { throw FileSystemError(ESTALE) }
        guard let file = node.file else { throw FileSystemError(EISDIR) }
        return file
    }
}

extension FileSystem {
    /// Sets the length in memory; it goes out with the next commit. Under the file's lock, while nobody commits (but to
    /// zero, which begins anew).
    func truncate(_ state: inout FileContent.State, _ inode: InodeNumber, to size: Int64) {
        if size == 0 {
            // Nothing of the old bytes is left: what others do to the object meanwhile is no conflict.
            state.session?.abandon()
            state.session = session(of: inode, over: nil)
            state.buildsOnBase = false
            state.hasLostBase = false
            state.isPoisoned = false
        } else {
            _ = beginChanges(&state, inode).truncate(to: size)
            state.hasPlainWrites = true
        }
        state.modificationTime = clock.wall
        state.changeTime = state.modificationTime
        state.hasSetTimes = false
        state.noteChange()
    }

    /// The file's session, which begins over its base where there is none. Under the file's lock.
    func beginChanges(_ state: inout FileContent.State, _ inode: InodeNumber) -> UploadSession {
        if let session = state.session { return session }
        let session = session(of: inode, over: reader(of: &state))
        state.session = session
        state.buildsOnBase = state.base != nil
        state.hasPlainWrites = false
        return session
    }

    /// A session whose uploads ask the inode where they go.
    func session(of inode: InodeNumber, over base: ObjectReader?) -> UploadSession {
        UploadSession(over: base, engine: uploads) { [weak self] () throws(ObjectStoreError) in
            try self?.uploadTarget(of: inode)
        }
    }
}
