import Glibc
import ObjectStore
import Runtime

extension FileSystem {
    /// renameat2(2): replace nothing.
    private static let noReplace: UInt32 = 1

    package func rename(
        parent: InodeNumber, name: [UInt8], newParent: InodeNumber, newName: [UInt8], flags: UInt32,
        context: OperationContext, reply: @escaping Reply<Void>
    ) {
        dispatch(context, reply) { [self] () throws(FileSystemError) in
            let name = try existingName(name, under: parent)
            let newName = try self.newName(newName, under: newParent)
            // RENAME_EXCHANGE and RENAME_WHITEOUT can't be had from a bucket.
            guard flags & ~Self.noReplace == 0 else { throw FileSystemError(EINVAL) }
            let request = requestContext(context)
            let (inode, file) = try resolve(name, under: parent, request) { node, _, _ throws(FileSystemError) in
                guard let node else { throw FileSystemError(ENOENT) }
                // mv(1) then copies and removes, which is what a bucket needs anyway.
                guard let file = node.file else { throw FileSystemError(EXDEV) }
                return (node.number, file)
            }
            let target: (InodeNumber, FileContent)? =
                try resolve(newName, under: newParent, request) { node, _, _ throws(FileSystemError) in
                    guard let node else { return nil }
                    guard flags & Self.noReplace == 0 else { throw FileSystemError(EEXIST) }
                    guard let file = node.file else { throw FileSystemError(EISDIR) }
                    return (node.number, file)
                }
            if target?.0 == inode { return }
            do throws(FileSystemError) {
                try move(inode, file, from: (parent, name), to: (newParent, newName), over: target, request)
            } catch {
                if error.errno == ESTALE { lookAgain(at: inode, request) }
                throw error
            }
        }
    }

    private typealias Place = (parent: InodeNumber, name: FileName)

    private func move(
        _ inode: InodeNumber, _ file: FileContent, from: Place, to: Place, over target: (InodeNumber, FileContent)?,
        _ request: RequestContext
    ) throws(FileSystemError) {
        let key = try table.withLock { table throws(FileSystemError) in
            let directory = try Self.directory(to.parent, table)
            guard let key = self.key(of: to.name, under: directory, table) else { throw FileSystemError(ENOENT) }
            return key
        }
        try check(key)
        // Unsent changes of a file that the bucket has go there first, under its own name.
        // So does what is on its way there: an upload can't be given another key.
        if file.state.withLock({ $0.isDirty && ($0.base != nil || $0.session?.isBoundToKey == true) }) {
            try commit(file, inode: inode, request)
        }
        // Lower number first, so that two renames against each other can't block.
        let both = [(inode, file)] + (target.map { [$0] } ?? [])
        let ordered = both.sorted { $0.0 < $1.0 }.map(\.1)
        var begun: [FileContent] = []
        defer { for file in begun { file.endSending() } }
        for file in ordered {
            try file.beginSending(by: request.deadline, request.cancellation)
            begun.append(file)
        }
        let finish = { [self] () throws(FileSystemError) in
            if let base = file.state.withLock({ $0.base }) {
                try moveObject(file, base, to: key, request)
            } else {
                // Nothing was sent yet: its one upload will go to the new name, over whatever is there. What its old
                // name still has in the bucket, by an earlier rename onto it, would come to light again.
                if file.state.withLock({ $0.coversObject }) { try deleteCovered(from, request) }
                let coversObject = target.map { $0.1.state.withLock { $0.base != nil || $0.coversObject } } ?? false
                file.state.withLock { state in
                    state.isExclusive = false
                    state.coversObject = coversObject
                }
            }
            if let (number, file) = target { removeName(to.name, of: number, file, under: to.parent) }
            enterMove(inode, file, from: from, to: to)
        }
        guard let (number, replaced) = target else { return try finish() }
        try letGo(of: replaced, inode: number, request, finish)
    }

    /// Deletes the object that an unsent file stands before; on an error it stands there still.
    private func deleteCovered(_ place: Place, _ request: RequestContext) throws(FileSystemError) {
        let key = table.withLock { table in table[place.parent].flatMap { self.key(of: place.name, under: $0, table) } }
        guard let key else { return }
        do throws(ObjectStoreError) {
            try store.delete(key, request)
        } catch {
            throw FileSystemError(error)
        }
    }

    /// Copies the object to its new key and deletes the old one.
    private func moveObject(
        _ file: FileContent, _ base: FileContent.Base, to key: ObjectKey, _ request: RequestContext
    ) throws(FileSystemError) {
        do throws(ObjectStoreError) {
            // Metadata and tags go with the copy by themselves.
            let result = try store.copy(
                CopyRequest(
                    source: base.key, destination: key, sourceIfMatch: base.listed.etag,
                    properties: try properties(of: file)), request)
            let now = clock.monotonic
            file.state.withLock { state in
                state.base?.key = key
                state.base?.listed.etag = result.etag
                if let time = result.lastModified ?? result.serverDate { state.base?.listed.lastModified = time }
                state.checkedAt = now
                state.reader?.repin(key: key, etag: result.etag)
            }
            try store.delete(base.key, request)
        } catch {
            throw error.kind == .preconditionFailed || error.kind == .notFound
                ? FileSystemError(ESTALE, error.summary) : FileSystemError(error)
        }
    }

    private func enterMove(_ inode: InodeNumber, _ file: FileContent, from: Place, to: Place) {
        table.withLock { table in
            guard let node = table[inode], let directory = table[to.parent] else { return }
            let now = clock.monotonic
            if let old = table[from.parent] {
                old.directory.children[from.name] = nil
                old.directory.noteChange(from.name, to: nil, at: now, wall: clock.wall)
            }
            if let other = directory.directory.children[to.name], other !== node { table.detach(other) }
            table.attach(node, name: to.name, under: directory)
            directory.directory.noteChange(to.name, to: file.listed, at: now, wall: clock.wall)
        }
    }
}
