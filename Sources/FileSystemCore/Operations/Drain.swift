import Instrumentation
import ObjectStore
import Runtime

extension FileSystem {
    /// What a drain could not send.
    package struct Remainder: Sendable {
        /// Paths of files with unsent changes, from the mount's root.
        package var paths: [[UInt8]]
        package var isEmpty: Bool { paths.isEmpty }
    }

    /// How many handles programs hold on files.
    package var openFiles: Int { handles.withLock { $0.openFiles } }

    /// How many files have bytes that the bucket doesn't have yet.
    package var unsentFiles: Int {
        let files = table.withLock { $0.files }
        return files.count { $0.1.state.withLock { ($0.isDirty || $0.isSending) && !$0.isUnlinked } }
    }

    /// Sends everything unsent; returns what is left at the deadline, or failed.
    ///
    /// Called once, at the end, when no operation comes any more.
    package func drain(by deadline: Deadline) -> Remainder {
        sweeping.cancel()
        let context = RequestContext(deadline: deadline)
        let unsent = table.withLock { $0.files }.filter { $0.1.state.withLock { $0.isDirty && !$0.isUnlinked } }
        let pending = Locked(unsent.count)
        for (inode, file) in unsent {
            let send: @Sendable () -> Void = { [self] in
                do throws(FileSystemError) {
                    try commit(file, inode: inode, context)
                } catch {
                    report(error)
                }
                pending.withLock { $0 -= 1 }
                pending.wakeAll()
            }
            if !operations.submit(send) { send() }
        }
        _ = pending.wait(until: deadline) { $0 == 0 ? true : nil }
        for (_, file) in table.withLock({ $0.files }) { dropRemains(of: file) }
        // Work of the pools that was under way, such as the sending after a release.
        _ = operations.stop(by: deadline)
        _ = uploads.stop(by: deadline)
        _ = companions.stop(by: deadline)
        _ = revalidations.stop(by: deadline)
        let paths = table.withLock { table in
            table.files.compactMap { number, file in
                file.state.withLock { $0.isDirty && !$0.isUnlinked }
                    ? table[number].flatMap { table.path(of: $0) } : nil
            }
        }
        return Remainder(paths: paths)
    }
}
