import Instrumentation
import ObjectStore
import Runtime

// What becomes of a stream: the object itself, an object of our own, or bytes that can be read again.

extension UploadSession {
    /// Makes the object of the stream and what stands before and after it; nil where it must be planned, and the stream's
    /// bytes are in an object then.
    func commitStream(_ request: CommitRequest, _ context: RequestContext) throws(ObjectStoreError) -> CommitResult? {
        let repair: Repair = state.withLock { state in repairStream(&state) }
        let stale: [PartStream.Part]
        switch repair {
        case .none: return nil
        case .unusable(let address):
            if let address { engine.abort(address) }
            return nil
        case .lost(let number):
            try makeReadable(number, context)
            return nil
        case .resend(let parts): stale = parts
        }
        guard let stream = state.withLock({ $0.stream }), let address = stream.address else { return nil }
        guard !stream.isDirect || address.key == request.key else {
            try makeReadable(stream.number, context)
            return nil
        }
        let (head, tail, size) = state.withLock { state in
            (Layout(state.map, 0..<stream.start), Layout(state.map, stream.end..<Int64.max), state.map.size)
        }
        let isAllHere = head.sources.isEmpty && tail.sources.isEmpty
        let headPlan = CommitPlan.make(
            head.stretches, limits: limits, count: stream.firstNumber - 1, isEnd: false)
        let tailPlan = CommitPlan.make(
            tail.stretches, limits: limits, count: limits.count - stream.nextNumber + 1, firstNumber: stream.nextNumber)
        guard let headPlan, let tailPlan, stream.isDirect || isAllHere else {
            try makeReadable(stream.number, context)
            return nil
        }
        for part in stale { try resend(part, address, context) }
        var results = try make(headPlan, firstNumber: 1, head, address, context)
        results += state.withLock { $0.stream?.parts.compactMap(\.result) ?? [] }
        results += try make(tailPlan, firstNumber: stream.nextNumber, tail, address, context)
        guard stream.isDirect else {
            let written = try complete(address, results, size: size, metadata: stream.metadata, nil, context)
            state.withLock { state in
                let reader = ObjectReader(key: address.key, etag: written.etag, size: size, cache: engine.cache)
                state.hidden.append(address.key)
                state.stream = nil
                state.map.settle(over: reader)
                state.map.forgetMemoryWhereSourced()
            }
            return nil
        }
        let written = try complete(address, results, size: size, metadata: stream.metadata, request, context)
        if stream.metadata == request.metadata || stream.metadata == request.metadataWithoutTimes {
            return result(written, size: size, metadata: stream.metadata)
        }
        // The copy onto itself that gives the final metadata is made by the plan, also if it has to be tried again.
        state.withLock { state in
            let reader = ObjectReader(key: address.key, etag: written.etag, size: size, cache: engine.cache)
            state.stream = nil
            state.map.settle(over: reader)
            state.map.forgetMemoryWhereSourced()
        }
        return nil
    }

    private enum Repair {
        case none
        /// Nothing of it is used.
        case unusable(UploadAddress?)
        /// Bytes that were sent are needed again, and are not here.
        case lost(UInt64)
        /// These parts must be sent once more.
        case resend([PartStream.Part])
    }

    /// Takes back parts at the end that are cut, failed or changed, as far as their bytes are here, and finds those before.
    /// Under the lock.
    private func repairStream(_ state: inout State) -> Repair {
        let number = state.stream?.number ?? 0
        func isIntact(_ part: PartStream.Part) -> Bool {
            guard part.result != nil, part.visibleEnd == part.range.upperBound else { return false }
            return state.map.is(part.range, .part(upload: number, number: part.number, offset: 0))
        }
        while let last = state.stream?.parts.last, !isIntact(last) {
            guard state.map.returnToUnsent(last.range.lowerBound..<last.visibleEnd) else { break }
            state.stream?.dropLast()
        }
        guard let stream = state.stream else { return .none }
        guard !stream.parts.isEmpty, stream.address != nil else {
            state.stream = nil
            state.run = stream.start..<max(stream.start, state.run.upperBound)
            return .unusable(stream.address)
        }
        var stale: [PartStream.Part] = []
        for part in stream.parts where !isIntact(part) {
            guard part.visibleEnd == part.range.upperBound, state.map.isLocal(part.range) else {
                return .lost(stream.number)
            }
            stale.append(part)
        }
        return .resend(stale)
    }

    private func resend(
        _ part: PartStream.Part, _ address: UploadAddress, _ context: RequestContext
    ) throws(ObjectStoreError) {
        guard let number = PartNumber(part.number) else { return }
        let result = try withBody(part.range, context) { body throws(ObjectStoreError) in
            try engine.store.uploadPart(
                address, number, body: body, engine.context(context.cancellation, bytes: body.count))
        }
        state.withLock { state in
            guard let index = state.stream?.index(of: part.number) else { return }
            state.stream?.parts[index].result = result
            state.map.under.set(
                part.range, .part(upload: state.stream?.number ?? 0, number: part.number, offset: 0))
        }
    }

    // MARK: Reading what was sent

    /// Turns a stream into an object that can be read and copied from; for whoever excludes all others.
    func makeReadable(_ number: UInt64, _ context: RequestContext) throws(ObjectStoreError) {
        guard let stream = state.withLock({ $0.stream }), stream.number == number, let address = stream.address else {
            return
        }
        let parts = stream.parts.filter { $0.result != nil }
        guard !parts.isEmpty else {
            state.withLock { state in
                state.stream = nil
                state.run = stream.end..<max(stream.end, state.run.upperBound)
            }
            return engine.abort(address)
        }
        let results = parts.compactMap(\.result)
        var offsets: [Int: Int64] = [:]
        var size: Int64 = 0
        for part in parts {
            offsets[part.number] = size
            size += Int64(part.range.count)
        }
        let reader: ObjectReader
        if stream.isDirect {
            reader = try withdraw(address, results, size: size, stream.metadata, context)
        } else {
            let written = try complete(address, results, size: size, metadata: stream.metadata, nil, context)
            reader = ObjectReader(key: address.key, etag: written.etag, size: size, cache: engine.cache)
        }
        state.withLock { state in
            state.hidden.append(reader.pin.key)
            state.stream = nil
            state.run = stream.end..<max(stream.end, state.run.upperBound)
            state.map.under.relabel { source in
                guard case .part(let upload, let part, let offset) = source, upload == number, let start = offsets[part]
                else { return nil }
                return .object(reader, offset: start + offset)
            }
        }
    }

    /// Takes bytes back that were sent under the file's own key: the upload is completed, copied to a key of our own, and
    /// what stood under the key before is put back.
    ///
    /// For some round trips the key shows what was written so far: OSS lets nobody read an upload in any other way.
    private func withdraw(
        _ address: UploadAddress, _ parts: [PartResult], size: Int64, _ metadata: ObjectMetadata,
        _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectReader {
        engine.log(
            .warning, "bytes that were sent are needed again: the key shows an unfinished object for a moment",
            [LogField("key", address.key.bytes)])
        let old = try headIfPresent(address.key, context)
        let aside = engine.asideKey()
        var properties = ObjectProperties()
        if let old {
            // The ACL doesn't go with a copy; where it can't be read the object gets the bucket's.
            do throws(ObjectStoreError) {
                properties.acl = try engine.store.acl(address.key, engine.context(context.cancellation))
            } catch {
                engine.log(.info, "the ACL can't be read", [LogField("key", address.key.bytes)])
            }
            if !old.storageClass.isEmpty { properties.storageClass = old.storageClass }
            _ = try engine.store.copy(
                CopyRequest(source: address.key, destination: aside, sourceIfMatch: old.etag),
                engine.context(context.cancellation))
        }
        // From here on everything is finished, whoever may want to stop it.
        let written = try complete(address, parts, size: size, metadata: metadata, nil, engine.context())
        let hidden = engine.hiddenKey()
        let copy: Result<WriteResult, ObjectStoreError>
        do throws(ObjectStoreError) {
            copy = .success(
                try engine.store.copy(
                    CopyRequest(source: address.key, destination: hidden, sourceIfMatch: written.etag), engine.context()
                ))
        } catch {
            copy = .failure(error)
        }
        do throws(ObjectStoreError) {
            if old != nil {
                _ = try engine.store.copy(
                    CopyRequest(source: aside, destination: address.key, properties: properties), engine.context())
                engine.sweep([aside])
            } else {
                try engine.store.delete(address.key, engine.context())
            }
        } catch {
            engine.log(
                .error, "the key still shows an unfinished object; what was there before is kept under another key",
                [
                    LogField("key", address.key.bytes), LogField("kept", old == nil ? [] : aside.bytes),
                    LogField("why", error.message),
                ])
        }
        let result = try copy.get()
        return ObjectReader(key: hidden, etag: result.etag, size: size, cache: engine.cache)
    }

    private func headIfPresent(
        _ key: ObjectKey, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo? {
        do throws(ObjectStoreError) {
            return try engine.store.head(key, engine.context(context.cancellation))
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }

    /// A stream that has used up its numbers becomes an object, upon which another goes on.
    func rollOver(_ number: UInt64) {
        let isTaken = engine.submitCommit { [self] in
            let context = engine.context(cancellation)
            do throws(ObjectStoreError) {
                try exclusively(context) { () throws(ObjectStoreError) in try makeReadable(number, context) }
            } catch {
                state.withLock { state in
                    state.stream?.isStalled = true
                    state.failure = error
                }
            }
        }
        if !isTaken { state.withLock { $0.stream?.isStalled = true } }
    }
}
