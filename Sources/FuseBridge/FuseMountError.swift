/// Why a mount can't be made, served or detached.
package enum FuseMountError: Error, Sendable, Equatable {
    case mountPointMissing
    case mountPointNotDirectory
    /// A mount stands there whose daemon is gone (ENOTCONN): `fusermount3 -u` clears it.
    case mountPointStale
    case mountPointNotPermitted
    /// A bucket is mounted there already.
    case alreadyMounted
    /// There is no /dev/fuse: the kernel module isn't loaded, or the container wasn't given the device.
    case deviceMissing
    /// /dev/fuse can't be opened; `errno` as of open(2).
    case deviceNotOpenable(errno: Int32)
    /// Only root mounts without this program (Debian package fuse3).
    case fusermountMissing
    /// `allow-other` needs a line `user_allow_other` in /etc/fuse.conf, unless root mounts.
    case allowOtherRefused
    /// libfuse or the kernel refused; the message is libfuse's, or empty where only standard error has it.
    case refused(message: String)
    /// `run` or `detach` before `mount`, or another mount stands at the path by now.
    case notMounted
    /// The system has no room for a single thread.
    case noThreads
    /// umount2(2) or fusermount3 failed; `errno` as of umount2(2), or fusermount3's exit status.
    case detachFailed(errno: Int32)

    /// Whether the directory is at fault rather than FUSE.
    package var concernsMountPoint: Bool {
        switch self {
        case .mountPointMissing, .mountPointNotDirectory, .mountPointStale, .mountPointNotPermitted, .alreadyMounted:
            true
        case .deviceMissing, .deviceNotOpenable, .fusermountMissing, .allowOtherRefused, .refused, .notMounted,
            .noThreads, .detachFailed:
            false
        }
    }

    /// What failed, and what to do about it.
    package var message: String {
        switch self {
        case .mountPointMissing: "the mount point does not exist; make the directory first"
        case .mountPointNotDirectory: "the mount point is not a directory"
        case .mountPointStale: "a dead mount stands at the mount point; clear it with: fusermount3 -u DIR"
        case .mountPointNotPermitted: "the mount point may not be entered or written by this user"
        case .alreadyMounted: "a bucket is mounted there already"
        case .deviceMissing: "/dev/fuse is missing; load the kernel module (modprobe fuse) or give it to the container"
        case .deviceNotOpenable(let errno): "/dev/fuse can't be opened: \(describe(errno: errno))"
        case .fusermountMissing: "fusermount3 is missing; install the package fuse3"
        case .allowOtherRefused: "allow-other needs a line user_allow_other in /etc/fuse.conf"
        case .refused(let message): message.isEmpty ? "FUSE refused the mount" : message
        case .notMounted: "not mounted"
        case .noThreads: "the system has no room for another thread"
        case .detachFailed(let errno): "detaching the mount failed: \(describe(errno: errno))"
        }
    }
}
