import CRuntime
import Glibc
import Instrumentation
import LocalStore
import Runtime

/// Room on this machine's disk for bytes of uploads that memory should not hold, up to a limit.
///
/// Its files have no names, so nothing stays behind, however the process ends. Running out of room is no failure: who asks
/// for room is told that there is none, and keeps its bytes in memory or in the bucket.
package final class StagingFolder: Sendable {
    private struct State {
        var usedBytes: Int64 = 0
        var hasToldLimit = false
        var hasToldFailure = false
    }

    /// The most bytes that all files together may take.
    package let limitBytes: Int64
    private let folder: CacheFolder
    private let log: Log
    /// Guards the account; a leaf.
    private let state = Locked(State())

    package init(in folder: CacheFolder, limitBytes: Int64, log: Log) {
        self.folder = folder
        self.limitBytes = limitBytes
        self.log = log
    }

    /// The limit where the user gives none, in bytes, with so many free: 10 GiB, and never more than half of what is free.
    ///
    /// 10 GiB holds a long video or a disk image whole while its program may still come back to its parts; a small
    /// server's disk of 40 GB can spare it. Half, because the disk is other programs' too.
    package static func defaultLimit(freeBytes: Int64) -> Int64 { min(10 << 30, max(0, freeBytes / 2)) }

    /// What the files take at present, in bytes, rounded up to blocks of the disk.
    package var usedBytes: Int64 { state.withLock { $0.usedBytes } }

    /// A new, empty file; nil where the system has no room for one. Blocks on the disk.
    package func makeFile() -> StagingFile? {
        let number = cruntime_nameless_file(folder.mountFolder.number)
        guard number >= 0 else {
            tellFailure(errno)
            return nil
        }
        return StagingFile(Descriptor(number), in: self)
    }

    /// Takes bytes out of the account; false where the limit forbids it.
    func take(_ bytes: Int64) -> Bool {
        let (isTaken, isNews) = state.withLock { state in
            if bytes <= limitBytes - state.usedBytes {
                state.usedBytes += bytes
                return (true, false)
            }
            defer { state.hasToldLimit = true }
            return (false, !state.hasToldLimit)
        }
        if isNews {
            log(.info, "cache-size is used up: uploads go on without the disk", [LogField("bytes", limitBytes)])
        }
        return isTaken
    }

    func giveBack(_ bytes: Int64) { state.withLock { $0.usedBytes -= bytes } }

    /// Says once that the disk can't be used.
    func tellFailure(_ number: Int32) {
        let isNews = state.withLock { state in
            defer { state.hasToldFailure = true }
            return !state.hasToldFailure
        }
        guard isNews else { return }
        log(
            .warning, "the disk of cache-dir can't be written: uploads go on without it",
            [LogField("errno", number), LogField("folder", folder.path)])
    }
}
