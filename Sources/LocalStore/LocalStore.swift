// LocalStore: what a mount keeps on this machine's disk, in the folder of the option `cache-dir`.
//
//   CACHE-DIR/                            as given; made with 0700 where it isn't there
//     BUCKET-HASH/                        one for each endpoint, bucket and prefix; 0700, ours
//       lock                              held by the first mount of them: what one mount alone may use is its
//       mounts/MOUNT-ID/                  one for each running mount: its files without a name are made here
//       mounts/MOUNT-ID/lock              held as long as the mount lives
//
// Parts. `MountIdentity` names one run of one mount; it stands in that mount's hidden keys. `CacheFolder` is the folder
// above, open; `DeadMount` is what a mount that ended without tidying up left in it.
//
// Locks are flock(2), which a process that forks into the background takes along and the kernel lets go of when the last
// of them ends, however it ends. So a lock that can be had tells that its mount is dead. A mount's folder is made under
// another name, locked, and only then renamed to its own, so that nobody finds it unlocked before.
//
// Everything is opened once, at the start, and reached through descriptors from then on: no path is followed into what
// may have been mounted over it since.
//
// Failures. Opening fails with the path and the errno, and leaves at most empty folders. What follows never fails a mount:
// what can't be read counts as not there, what can't be removed stays.
//
// Not here: the bytes of uploads (`Transfer.StagingFolder`), and what is done about a dead mount's keys.
import Glibc

/// A descriptor that is closed with its last owner.
package final class Descriptor: Sendable {
    package let number: Int32

    /// Takes the descriptor over.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

/// Why the cache folder can't be used.
package struct CacheFolderError: Error, Sendable {
    package let path: [UInt8]
    /// As in errno.h.
    package let errno: Int32
}
