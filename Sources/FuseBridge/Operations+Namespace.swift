import CFuse
import FileSystemCore
import Glibc

extension OperationTable {
    /// lookup, forget, rmdir, unlink, rename.
    static func addNamespace(to operations: inout fuse_lowlevel_ops) {
        operations.lookup = { request, parent, name in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.lookup(
                parent: InodeNumber(parent), name: nameBytes(name), context: call.context, reply: call.reply(sendLookup)
            )
        }
        operations.forget = { request, inode, count in
            forget(request, [(inode, count)])
            fuse_reply_none(request)
        }
        operations.forget_multi = { request, count, forgets in
            let list = UnsafeBufferPointer(start: forgets, count: count)
            forget(request, list.map { ($0.ino, $0.nlookup) })
            fuse_reply_none(request)
        }
        operations.rmdir = { request, parent, name in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.rmdir(
                parent: InodeNumber(parent), name: nameBytes(name), context: call.context, reply: call.reply())
        }
        operations.unlink = { request, parent, name in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.unlink(
                parent: InodeNumber(parent), name: nameBytes(name), context: call.context, reply: call.reply())
        }
        operations.rename = { request, parent, name, newParent, newName, flags in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.rename(
                parent: InodeNumber(parent), name: nameBytes(name), newParent: InodeNumber(newParent),
                newName: nameBytes(newName), flags: flags, context: call.context, reply: call.reply())
        }
    }
}

private func forget(_ request: fuse_req_t?, _ list: [(fuse_ino_t, UInt64)]) {
    guard let userdata = fuse_req_userdata(request) else { return }
    let connection = Unmanaged<FuseConnection>.fromOpaque(userdata).takeUnretainedValue()
    for (inode, count) in list {
        connection.fileSystem?.forget(inode: InodeNumber(inode), count: count)
    }
}

/// A name known to be absent for a while goes out as an entry without inode, which the kernel remembers.
private func sendLookup(_ request: fuse_req_t, _ result: LookupResult) -> Int32 {
    switch result {
    case .found(let entry): return sendEntry(request, entry)
    case .absent(let timeout) where timeout > .zero:
        var parameter = fuse_entry_param()
        parameter.entry_timeout = timeout.timeoutSeconds
        return fuse_reply_entry(request, &parameter)
    case .absent: return fuse_reply_err(request, ENOENT)
    }
}

func sendEntry(_ request: fuse_req_t, _ entry: Entry) -> Int32 {
    var parameter = entry.parameter
    return fuse_reply_entry(request, &parameter)
}
