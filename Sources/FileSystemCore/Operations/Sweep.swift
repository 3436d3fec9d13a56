import Instrumentation
import LocalStore
import ObjectStore
import Runtime

// Hidden objects and uploads that a mount left which was killed. Deleted are only those that carry the name of a mount
// whose folder in this machine's cache-dir has a free lock: it ran here, and is dead. Whatever other machines made, or
// mounts that this machine knows nothing of, is counted and left alone.

extension FileSystem {
    /// How long the sweep may take, and how many pages of a thousand keys it reads of one dead mount: what is left then is
    /// left to the next start.
    private static let sweepPatience = Duration.seconds(120)
    private static let sweepPages = 10

    /// Begins to tidy up behind dead mounts of this machine, and returns; the mount is served meanwhile, and nothing that
    /// fails in it matters to the mount. Once, after the start.
    ///
    /// - Parameter folder: nil where there is no cache-dir: nothing is known dead then.
    package func sweep(_ folder: CacheFolder?) {
        guard !configuration.isReadOnly else { return }
        operations.submit { [self] in
            let context = RequestContext(deadline: .after(Self.sweepPatience), cancellation: sweeping)
            // Its locks are held until the end, so that one start alone sweeps behind a mount.
            let dead = folder?.deadMounts().filter { $0.identity.isSameHost(as: configuration.mountID) } ?? []
            for mount in dead { sweep(mount, context) }
            do throws(ObjectStoreError) {
                try countOthers(context)
            } catch {
                // Listing uploads may well be forbidden to these credentials.
                log(.debug, "what else is left in the bucket can't be counted", [LogField("code", error.code)])
            }
            log(.debug, "sweep.ended", [LogField("mounts", dead.count)])
        }
    }

    /// Removes all that a dead mount left, and with the last of it the mount's folder.
    private func sweep(_ mount: DeadMount, _ context: RequestContext) {
        var (objects, uploads) = (0, 0)
        do throws(ObjectStoreError) {
            var isDone = true
            for kind in HiddenKind.swept {
                let prefix = hiddenPrefix(kind, of: mount.identity)
                // Uploads first: completed by nobody, they can't become objects behind us.
                isDone = try abortUploads(prefix, count: &uploads, context) && isDone
                isDone = try deleteObjects(prefix, count: &objects, context) && isDone
            }
            if isDone { mount.remove() }
        } catch {
            log(
                .warning, "what a dead mount left could not all be removed; the next start tries again",
                [LogField("mount", mount.identity.bytes), LogField("why", error.summary)])
        }
        guard objects + uploads > 0 else { return }
        log(
            .info, "removed what a dead mount had left",
            [LogField("mount", mount.identity.bytes), LogField("objects", objects), LogField("uploads", uploads)])
    }

    /// False: there are more.
    private func abortUploads(
        _ prefix: [UInt8], count: inout Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> Bool {
        var marker: UploadAddress?
        for _ in 0..<Self.sweepPages {
            let page = try store.listUploads(prefix: prefix, after: marker, limit: 1000, context)
            for upload in page.uploads where upload.address.key.bytes.starts(with: prefix) {
                try store.abortUpload(upload.address, context)
                count += 1
            }
            guard let next = page.next else { return true }
            marker = next
        }
        return false
    }

    /// False: there are more.
    private func deleteObjects(
        _ prefix: [UInt8], count: inout Int, _ context: RequestContext
    ) throws(ObjectStoreError) -> Bool {
        var request = ListRequest(prefix: prefix, foldsDirectories: false)
        for _ in 0..<Self.sweepPages {
            let page = try store.list(request, context)
            let keys = page.rows.map(\.key).filter { $0.bytes.starts(with: prefix) }
            if !keys.isEmpty { try store.deleteMany(keys, context) }
            count += keys.count
            guard let next = page.next else { return true }
            request.continuation = next
        }
        return false
    }

    /// Says what is in the bucket that only its owner can judge: one page of each, as a number is enough.
    private func countOthers(_ context: RequestContext) throws(ObjectStoreError) {
        let own = configuration.mountID
        var objects = 0
        for kind in HiddenKind.allCases {
            let prefix = hiddenPrefix + Array((kind.rawValue + "/").utf8)
            let page = try store.list(ListRequest(prefix: prefix, foldsDirectories: false), context)
            objects += page.rows.count { !$0.key.bytes.dropFirst(prefix.count).starts(with: own.bytes) }
        }
        if objects > 0 {
            log(
                .info, "hidden objects of other mounts, alive or dead, are left alone",
                [LogField("count", objects), LogField("under", hiddenPrefix)])
        }
        let page = try store.listUploads(prefix: configuration.prefix, after: nil, limit: 1000, context)
        let hidden = HiddenKind.allCases.map { hiddenPrefix($0, of: own) }
        let uploads = page.uploads.count { row in !hidden.contains { row.address.key.bytes.starts(with: $0) } }
        if uploads > 0 {
            log(
                .info, "unfinished uploads are in the bucket, and paid for; a lifecycle rule can abort old ones",
                [LogField(page.next == nil ? "count" : "at_least", uploads)])
        }
    }
}
