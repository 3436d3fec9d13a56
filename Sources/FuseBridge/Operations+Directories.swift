import CFuse
import FileSystemCore
import Glibc

extension OperationTable {
    /// opendir, readdir, readdirplus, releasedir, fsyncdir.
    static func addDirectories(to operations: inout fuse_lowlevel_ops) {
        operations.opendir = { request, inode, _ in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.opendir(
                inode: InodeNumber(inode), context: call.context,
                reply: call.reply { request, handle in
                    var info = fuse_file_info()
                    info.fh = handle.rawValue
                    return fuse_reply_open(request, &info)
                })
        }
        operations.readdir = { request, inode, count, offset, info in
            readDirectory(request, inode, count, offset, info, wantsAttributes: false)
        }
        operations.readdirplus = { request, inode, count, offset, info in
            readDirectory(request, inode, count, offset, info, wantsAttributes: true)
        }
        operations.releasedir = { request, inode, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.releasedir(
                inode: InodeNumber(inode), handle: handleID(info), context: call.context, reply: call.reply())
        }
        operations.fsyncdir = { request, inode, _, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.fsyncdir(
                inode: InodeNumber(inode), handle: handleID(info), context: call.context, reply: call.reply())
        }
    }
}

private func readDirectory(
    _ request: fuse_req_t?, _ inode: fuse_ino_t, _ count: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?, wantsAttributes: Bool
) {
    guard let call = IncomingRequest(request) else { return }
    let buffer = DirectoryBuffer(requestedBytes: count, wantsAttributes: wantsAttributes)
    call.fileSystem.readdir(
        inode: InodeNumber(inode), handle: handleID(info), offset: UInt64(bitPattern: Int64(offset)),
        packer: buffer, context: call.context,
        reply: call.reply { request, _ in fuse_reply_buf(request, buffer.base, buffer.count) })
}
