import Glibc
import Instrumentation
import ObjectStore
import Runtime
import Transfer

// A file that is removed, or replaced by a rename, while programs have it open goes on for them. Its bytes are kept before
// the object goes: a small file's, or one's that memory has anyway, in memory; else by a copy under a hidden key, which
// goes at the last close. What is written to it stays here and goes with it.

extension FileSystem {
    /// Runs `body`, which takes a file's object and name away, with the bytes kept for who has it open.
    ///
    /// The caller is the one who sends for the file. Opens of it wait until this is done, so that none comes between the
    /// keeping and the removal. Where `body` fails the file is as it was, and the copy goes at the last close as well.
    func letGo(
        of file: FileContent, inode: InodeNumber, _ context: RequestContext,
        _ body: () throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        let isOpen = table.withLock { table in
            file.state.withLock { $0.isLeaving = true }
            return table[inode].map { $0.opens > 0 } ?? false
        }
        defer {
            file.state.withLock { $0.isLeaving = false }
            file.state.wakeAll()
        }
        if isOpen { try keepBytes(of: file, context) }
        try body()
    }

    /// Up to this size a file is fetched into memory, which is one request like the copy.
    private static let fetchedBytes: Int64 = 8 << 20

    private func keepBytes(of file: FileContent, _ context: RequestContext) throws(FileSystemError) {
        let needed: (base: FileContent.Base, reader: ObjectReader)? = file.state.withLock { state in
            if let session = state.session, session.missingBytes(in: 0..<session.size) == 0 { return nil }
            guard state.orphan == nil, let base = state.base else { return nil }
            return reader(of: &state).map { (base, $0) }
        }
        guard let (base, reader) = needed, !reader.keepAll() else { return }
        do throws(ObjectStoreError) {
            if reader.size <= Self.fetchedBytes, try fetch(reader, context) { return }
            let (key, etag) = try copyAside(base, context)
            file.state.withLock { $0.orphan = key }
            reader.repin(key: key, etag: etag)
        } catch {
            switch error.kind {
            case .preconditionFailed, .notFound, .invalidRange:
                // Somebody replaced it: its readers get ESTALE, as they would have without us.
                log(.debug, "an open file's version was gone already", [LogField("key", base.key.bytes)])
            case .accessDenied, .forbidden, .archived, .invalidRequest, .tooLarge, .unsupported, .alreadyExists,
                .noSuchUpload:
                // That programs have it open must not keep anybody from removing it.
                log(
                    .warning, "a removed file can't be kept for the programs that have it open",
                    [LogField("key", base.key.bytes), LogField("why", error.summary)])
            case .noSuchBucket, .invalidCredentials, .clockSkewed, .throttled, .unavailable, .corrupted, .cancelled,
                .unexpected:
                throw FileSystemError(error)
            }
        }
    }

    /// Fetches all of a small file, to stay in memory; false where there is no room for it.
    private func fetch(_ reader: ObjectReader, _ context: RequestContext) throws(ObjectStoreError) -> Bool {
        do throws(ObjectStoreError) {
            _ = try reader.readNow(0..<reader.size, context)
        } catch {
            // Short of memory is this too; a server that doesn't answer says so again to the copy.
            if error.kind == .unavailable { return false }
            throw error
        }
        return reader.keepAll()
    }

    /// Copies an object under a hidden key, and counts that.
    private func copyAside(
        _ base: FileContent.Base, _ context: RequestContext
    ) throws(ObjectStoreError) -> (ObjectKey, ETag) {
        let key = hiddenKey(.orphan)
        // Counted before, as an answer may be lost.
        hiddenCount.withLock { $0 += 1 }
        do throws(ObjectStoreError) {
            if base.listed.size > store.capabilities.maximumCopyBytes {
                return (key, try copyInParts(base, to: key, context))
            }
            let copy = CopyRequest(source: base.key, destination: key, sourceIfMatch: base.listed.etag)
            return (key, try store.copy(copy, context).etag)
        } catch {
            // Of these it is certain that nothing was made.
            if [.preconditionFailed, .notFound, .accessDenied, .forbidden].contains(error.kind) {
                hiddenCount.withLock { $0 -= 1 }
            }
            throw error
        }
    }

    /// 1 GiB: what a service copies well within the time of a request; larger where the parts would be too many.
    private static let copiedPartBytes: Int64 = 1 << 30

    private func copyInParts(
        _ base: FileContent.Base, to key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) -> ETag {
        let limits = store.capabilities
        let size = base.listed.size
        let most = Int64(limits.maximumParts)
        let partBytes = min(limits.maximumPartBytes, max(Self.copiedPartBytes, (size + most - 1) / most))
        let address = try store.initiateUpload(InitiateRequest(key: key), context)
        do throws(ObjectStoreError) {
            var parts: [CompletedPart] = []
            for start in stride(from: 0, to: size, by: Int64.Stride(partBytes)) {
                guard let number = PartNumber(parts.count + 1) else { break }
                let source = PartCopySource(
                    key: base.key, range: start..<min(size, start + partBytes), ifMatch: base.listed.etag)
                parts.append(CompletedPart(try store.copyPart(address, number, from: source, context)))
            }
            return try store.completeUpload(
                CompleteRequest(address: address, parts: parts, size: size, crc64: base.listed.crc64), context
            ).etag
        } catch {
            do throws(ObjectStoreError) {
                try store.abortUpload(address, RequestContext(deadline: .after(.seconds(10))))
            } catch {
                log(.debug, "an upload stays behind", [LogField("key", key.bytes), LogField("code", error.code)])
            }
            throw error
        }
    }

    /// After the last close: what was kept of a removed file goes, and what was written to it since.
    func dropRemains(of file: FileContent) {
        let orphan: ObjectKey? = file.state.withLock { state in
            if state.isUnlinked {
                state.session?.abandon()
                state.session = nil
            }
            guard let key = state.orphan else { return nil }
            state.orphan = nil
            // Of a removal that failed: the next reader goes to the object itself again.
            state.reader = nil
            return key
        }
        guard let orphan else { return }
        operations.submit { [self] in
            do throws(ObjectStoreError) {
                try store.delete(orphan, RequestContext(deadline: .after(configuration.deadline)))
                hiddenCount.withLock { $0 -= 1 }
            } catch {
                log(
                    .warning, "a hidden object stays until the next start",
                    [LogField("key", orphan.bytes), LogField("why", error.summary)])
            }
        }
    }
}

extension FileContent {
    /// Waits until it is known whether the object goes.
    func waitWhileLeaving(by deadline: Deadline, _ cancellation: Cancellation?) throws(FileSystemError) {
        let number = cancellation?.onCancel { [self] in state.wakeAll() }
        defer { if let number { cancellation?.remove(number) } }
        let outcome: Bool? = state.wait(until: deadline) { state -> Bool? in
            if cancellation?.isCancelled == true { return false }
            return state.isLeaving ? nil : true
        }
        switch outcome {
        case true?: return
        case false?: throw FileSystemError(EINTR)
        case nil: throw FileSystemError(EIO, "The server did not answer in time.", level: .warning)
        }
    }
}
