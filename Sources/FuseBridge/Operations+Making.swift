import CFuse
import FileSystemCore
import Glibc
import Runtime

extension OperationTable {
    /// mkdir, create, mknod, and the kinds that the file system lacks.
    static func addMaking(to operations: inout fuse_lowlevel_ops) {
        operations.mkdir = { request, parent, name, mode in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.mkdir(
                parent: InodeNumber(parent), name: nameBytes(name), mode: mode & 0o7777, context: call.context,
                reply: call.reply(sendEntry))
        }
        operations.create = { request, parent, name, mode, info in
            guard let call = IncomingRequest(request) else { return }
            let flags = info?.pointee.flags ?? 0
            call.fileSystem.create(
                parent: InodeNumber(parent), name: nameBytes(name), mode: mode & 0o7777, flags: flags,
                context: call.context,
                reply: call.reply { request, made in
                    var parameter = made.entry.parameter
                    var info = fuse_file_info(made.file, flags: flags)
                    return fuse_reply_create(request, &parameter, &info)
                })
        }
        operations.mknod = { request, parent, name, mode, _ in
            guard let call = IncomingRequest(request) else { return }
            let kind = mode & S_IFMT
            guard kind == 0 || kind == S_IFREG else {
                _ = call.request.fail(EPERM)
                return
            }
            makeFile(call, InodeNumber(parent), nameBytes(name), mode & 0o7777)
        }
        // What symlink(2) and link(2) say of a file system that has no such thing.
        operations.symlink = { request, _, _, _ in fuse_reply_err(request, EPERM) }
        operations.link = { request, _, _, _ in fuse_reply_err(request, EPERM) }
    }
}

/// mknod of a plain file: created, committed and released before the answer, as nobody will close it.
private func makeFile(_ call: IncomingRequest, _ parent: InodeNumber, _ name: [UInt8], _ mode: UInt32) {
    let (fileSystem, context) = (call.fileSystem, call.context)
    let reply: Reply<Entry> = call.reply(sendEntry)
    // The steps behind the first are nobody's requests: a killed caller must not cut off the release.
    let own = OperationContext(caller: context.caller, cancellation: Cancellation())
    fileSystem.create(parent: parent, name: name, mode: mode, flags: O_CREAT | O_EXCL | O_WRONLY, context: context) {
        switch $0 {
        case .failure(let error): return reply(.failure(error))
        case .success(let made):
            let inode = made.entry.attributes.inode
            fileSystem.fsync(inode: inode, handle: made.file.handle, dataOnly: false, context: context) { synced in
                fileSystem.release(inode: inode, handle: made.file.handle, context: own) { _ in true }
                let isDelivered = reply(synced.map { _ in made.entry })
                if case .success = synced, isDelivered { return true }
                // The kernel never heard of the entry, so its lookup is taken back here.
                fileSystem.forget(inode: inode, count: 1)
                return isDelivered
            }
            return true
        }
    }
}

extension fuse_file_info {
    /// - Parameter flags: of open(2), as the kernel sent them.
    init(_ file: OpenedFile, flags: Int32) {
        self.init()
        fh = file.handle.rawValue
        keep_cache = file.keepsPageCache ? 1 : 0
    }
}
