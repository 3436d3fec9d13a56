import CFuse
import FileSystemCore
import Glibc

extension OperationTable {
    /// getattr, setattr, statfs.
    static func addAttributes(to operations: inout fuse_lowlevel_ops) {
        operations.getattr = { request, inode, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.getattr(
                inode: InodeNumber(inode), handle: info == nil ? nil : handleID(info), context: call.context,
                reply: call.reply(sendAttributes))
        }
        operations.setattr = { request, inode, status, fields, info in
            guard let call = IncomingRequest(request) else { return }
            guard let status else {
                _ = call.request.fail(EINVAL)
                return
            }
            let change = AttributeChange(
                status: status.pointee, fields: fields, handle: info == nil ? nil : handleID(info))
            call.fileSystem.setattr(
                inode: InodeNumber(inode), change: change, context: call.context, reply: call.reply(sendAttributes))
        }
        operations.statfs = { request, inode in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.statfs(
                inode: InodeNumber(inode), context: call.context,
                reply: call.reply { request, statistics in
                    var answer = statistics.statvfs
                    return fuse_reply_statfs(request, &answer)
                })
        }
    }
}

private func sendAttributes(_ request: fuse_req_t, _ attributes: TimedAttributes) -> Int32 {
    var status = attributes.attributes.status
    return fuse_reply_attr(request, &status, attributes.timeout.timeoutSeconds)
}
