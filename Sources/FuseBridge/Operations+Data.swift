import CFuse
import FileSystemCore
import Glibc

extension OperationTable {
    /// open, read, write, fallocate, flush, fsync, release.
    static func addData(to operations: inout fuse_lowlevel_ops) {
        operations.open = { request, inode, info in
            guard let call = IncomingRequest(request) else { return }
            let flags = info?.pointee.flags ?? 0
            call.fileSystem.open(
                inode: InodeNumber(inode), flags: flags, context: call.context,
                reply: call.reply { request, file in
                    var info = fuse_file_info(file, flags: flags)
                    // Closing what can't have been written has nothing to say: one request saved for each open.
                    // (O_RDONLY with O_TRUNC does write, on Linux.)
                    info.noflush = flags & O_ACCMODE == O_RDONLY && flags & O_TRUNC == 0 ? 1 : 0
                    return fuse_reply_open(request, &info)
                })
        }
        operations.read = { request, inode, count, offset, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.read(
                inode: InodeNumber(inode), handle: handleID(info), offset: Int64(offset), count: count,
                context: call.context,
                reply: call.reply { request, bytes in sendSegments(request, bytes.segments, limit: count) })
        }
        operations.write = { request, inode, buffer, count, offset, info in
            guard let call = IncomingRequest(request) else { return }
            let bytes = UnsafeRawBufferPointer(start: buffer, count: buffer == nil ? 0 : count)
            call.fileSystem.write(
                inode: InodeNumber(inode), handle: handleID(info), offset: Int64(offset), bytes: bytes,
                clearsPrivileges: cfuse_current().kills_privileges == 1, context: call.context,
                reply: call.reply { request, written in fuse_reply_write(request, max(written, 0)) })
        }
        operations.fallocate = { request, inode, mode, offset, count, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.fallocate(
                inode: InodeNumber(inode), handle: handleID(info), mode: mode, offset: Int64(offset),
                count: Int64(count), context: call.context, reply: call.reply())
        }
        // No lseek: the kernel asks once, and then answers SEEK_DATA and SEEK_HOLE by the size alone: all is data, with a
        // hole at the end, which is what an object is.
        operations.flush = { request, inode, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.flush(
                inode: InodeNumber(inode), handle: handleID(info), context: call.context, reply: call.reply())
            if !call.request.isAnswered { call.connection.watcher.watchExit(of: call.request) }
        }
        operations.fsync = { request, inode, dataOnly, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.fsync(
                inode: InodeNumber(inode), handle: handleID(info), dataOnly: dataOnly != 0, context: call.context,
                reply: call.reply())
        }
        operations.release = { request, inode, info in
            guard let call = IncomingRequest(request) else { return }
            call.fileSystem.release(
                inode: InodeNumber(inode), handle: handleID(info), context: call.context, reply: call.reply())
        }
    }
}

/// The most vectors of one writev(2), less the head of the reply: IOV_MAX of Linux is 1024.
private let maximumSegments = 1023

/// Sends the bytes from where they lie; `limit` is what the kernel has room for.
private func sendSegments(_ request: fuse_req_t, _ segments: [UnsafeRawBufferPointer], limit: Int) -> Int32 {
    var room = limit
    var vectors: [iovec] = []
    for segment in segments where room > 0 && !segment.isEmpty {
        let count = min(segment.count, room)
        vectors.append(
            iovec(iov_base: UnsafeMutableRawPointer(mutating: segment.baseAddress), iov_len: count))
        room -= count
    }
    if vectors.count <= maximumSegments { return fuse_reply_iov(request, vectors, Int32(vectors.count)) }
    var copied: [UInt8] = []
    copied.reserveCapacity(limit - room)
    for vector in vectors { copied += UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len) }
    return copied.withUnsafeBytes { bytes in
        fuse_reply_buf(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
}
