import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    /// Lets what was only appended go on after `current`, which somebody else made of the base by appending, too; false
    /// where it isn't so, and the changes are a conflict.
    func rebaseAppends(
        of file: FileContent, inode: InodeNumber, key: ObjectKey, onto current: ObjectInfo, _ context: RequestContext
    ) throws(FileSystemError) -> Bool {
        let (session, base, onlyAppends) = file.state.withLock { ($0.session, $0.base?.listed, !$0.hasPlainWrites) }
        guard onlyAppends, let session, let base, let crc64 = base.crc64, current.size >= base.size,
            session.changedFrom.map({ $0 >= base.size }) == true
        else { return false }
        do throws(ObjectStoreError) {
            // Reads as much again as the file was long: the price of two appenders to one object.
            guard
                try uploads.checksum(ofFirst: base.size, of: key, current.etag, context.cancellation) == crc64
            else { return false }
            let reader = ObjectReader(key: key, etag: current.etag, size: current.size, cache: cache)
            let next = self.session(of: inode, over: reader)
            let now = clock.monotonic
            try session.moveTail(from: base.size, to: next, at: current.size, context) {
                file.state.withLock { state in
                    let (modified, changed) = (state.modificationTime, state.changeTime)
                    let (permissions, uid, gid) = (state.permissions, state.uid, state.gid)
                    state.adopt(current, at: now, configuration)
                    (state.modificationTime, state.changeTime) = (modified, changed)
                    (state.permissions, state.uid, state.gid) = (permissions, uid, gid)
                    state.reader = reader
                    state.session = next
                    state.noteChange()
                }
            }
        } catch {
            throw FileSystemError(error)
        }
        // The kernel appends where it believes that the file ends.
        notifier.invalidateInode(inode, dropsPages: true)
        return true
    }
}
