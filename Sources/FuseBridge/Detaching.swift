import Glibc
import Runtime

/// Takes a mount out of the tree at once, while what is open in it goes on being served.
package enum Detaching {
    /// As root by umount2(2), else by fusermount3, for at most ten seconds: it asks nobody, so more means it hangs.
    package static func detach(_ path: [UInt8]) throws(FuseMountError) {
        if umount2(terminated(path), Int32(MNT_DETACH) | withoutFollowing) == 0 { return }
        let number = errno
        guard number == EPERM else { throw .detachFailed(errno: number) }
        let status = runFusermount(path, until: .after(.seconds(10)))
        if status != 0 { throw .detachFailed(errno: status) }
    }

    /// Detaches and aborts the connection, so that all who wait get an error; without root's rights only detaches.
    static func force(_ path: [UInt8]) {
        let flags = Int32(MNT_FORCE) | Int32(MNT_DETACH) | withoutFollowing
        if umount2(terminated(path), flags) != 0 { try? detach(path) }
    }

    /// UMOUNT_NOFOLLOW of umount2(2): the path was resolved when it was mounted, a link there now is not ours.
    private static let withoutFollowing: Int32 = 8

    /// fusermount3's exit status, or an errno where it didn't run or didn't end.
    private static func runFusermount(_ path: [UInt8], until deadline: Deadline) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = []
        for argument in ["fusermount3", "-u", "-z", "--"] { arguments.append(strdup(argument)) }
        arguments.append(strdup(terminated(path)))
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let result = posix_spawnp(&child, "fusermount3", nil, nil, arguments, environ)
        guard result == 0 else { return result }
        var status: Int32 = 0
        while true {
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { return status & 0x7F == 0 ? (status >> 8) & 0xFF : EINTR }
            if ended < 0 && errno != EINTR { return errno }
            if deadline.hasPassed {
                kill(child, SIGKILL)
                waitpid(child, &status, 0)
                return ETIMEDOUT
            }
            usleep(5000)
        }
    }
}
