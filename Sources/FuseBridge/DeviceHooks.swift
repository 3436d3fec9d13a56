import CFuse
import Glibc
import Instrumentation

// The reads and writes of the device, which libfuse leaves to us (fuse_session_custom_io): here each request's number
// is noted when read and when answered, INTERRUPT is handed to the watcher, and the reply to INIT gets the
// capabilities that libfuse 3.14 leaves out.

enum DeviceHooks {
    static func make() -> fuse_custom_io {
        fuse_custom_io(
            writev: { descriptor, vectors, count, userdata in
                guard let vectors, let userdata else {
                    errno = EINVAL
                    return -1
                }
                let connection = Unmanaged<FuseConnection>.fromOpaque(userdata).takeUnretainedValue()
                return connection.send(descriptor, vectors, count)
            },
            read: { descriptor, buffer, size, userdata in
                guard let buffer, let userdata else {
                    errno = EINVAL
                    return -1
                }
                let connection = Unmanaged<FuseConnection>.fromOpaque(userdata).takeUnretainedValue()
                return connection.receive(descriptor, buffer, size)
            },
            // Splicing is not offered, which also keeps the SPLICE capabilities off.
            splice_receive: nil, splice_send: nil)
    }
}

extension FuseConnection {
    /// As read(2); ENODEV is the end, whatever ended the connection.
    fileprivate func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
        let count = Glibc.read(descriptor, buffer, size)
        if count < 0 {
            // Aborted through /sys/fs/fuse/connections: for the loop the same as unmounted.
            if errno == ECONNABORTED { errno = ENODEV }
            return count
        }
        var head = cfuse_head()
        guard cfuse_parse_head(buffer, count, &head) == 1 else { return count }
        cfuse_set_current(&head)
        requests.noteRead(unique: head.unique, opcode: head.opcode, wantsAnswer: head.wants_answer == 1)
        switch head.opcode {
        case UInt32(CFUSE_INTERRUPT): watcher.interrupted(unique: head.interrupted)
        case UInt32(CFUSE_INIT): noteHandshake(UnsafeRawBufferPointer(start: buffer, count: count))
        default: break
        }
        return count
    }

    /// As writev(2); every failure is told as ENOENT, the one that libfuse doesn't print.
    fileprivate func send(_ descriptor: Int32, _ vectors: UnsafeMutablePointer<iovec>, _ count: Int32) -> Int {
        let unique = cfuse_reply_unique(vectors, count)
        let current = cfuse_current()
        let isInit = current.opcode == UInt32(CFUSE_INIT) && unique == current.unique
        let sent =
            isInit
            ? cfuse_write_init_reply(descriptor, vectors, count, missingFlags)
            : Glibc.writev(descriptor, vectors, count)
        let number = errno
        if unique != 0 { requests.noteAnswered(unique: unique) }
        guard sent < 0 else { return sent }
        // ENOENT: the caller is gone, or (a notification) the kernel has no such thing. ENODEV: unmounted.
        if number != ENOENT && number != ENODEV {
            log(.warning, "fuse.reply_refused", [LogField("errno", number), LogField("opcode", current.opcode)])
        }
        errno = ENOENT
        return -1
    }
}
