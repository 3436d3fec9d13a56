import Instrumentation
import ObjectStore
import Runtime

/// What a commit is to make.
package struct CommitRequest: Sendable {
    package var key: ObjectKey
    /// All that the object is to carry.
    package var metadata: ObjectMetadata
    /// The same without times that no program has set: an object that was begun with these needs no copy onto itself.
    package var metadataWithoutTimes: ObjectMetadata
    package var properties: ObjectProperties
    /// Whether an existing object is left alone (`alreadyExists`).
    package var forbidOverwrite: Bool

    package init(
        key: ObjectKey, metadata: ObjectMetadata, metadataWithoutTimes: ObjectMetadata, properties: ObjectProperties,
        forbidOverwrite: Bool
    ) {
        self.key = key
        self.metadata = metadata
        self.metadataWithoutTimes = metadataWithoutTimes
        self.properties = properties
        self.forbidOverwrite = forbidOverwrite
    }
}

/// What a commit made.
package struct CommitResult: Sendable {
    package var written: WriteResult
    /// The object's length in bytes.
    package var size: Int64
    /// What the object carries: `metadata` of the request, or that without times.
    package var metadata: ObjectMetadata
    /// Blocks of the object that memory holds whole, by their index; for `ObjectReader.adopt`.
    package var blocks: [Int64: Slab]
}

/// What a stretch of the file is made of, as a plan sees it. Holds no memory of the file's.
struct Layout: Sendable {
    private(set) var stretches: [CommitPlan.Stretch] = []
    /// The objects that the stretches name: which bytes, and from where in the file.
    private(set) var sources: [(reader: ObjectReader, offset: Int64, start: Int64)] = []

    init(_ map: BlockMap, _ range: ByteRange) {
        for piece in map.pieces(in: range) {
            var kind = CommitPlan.Stretch.Kind.local
            switch piece.place {
            case .memory, .staged: break
            case .zero: kind = .zeros
            case .source(.object(let reader, let offset)):
                kind = .object(source: sources.count)
                sources.append((reader, offset, piece.range.lowerBound))
            // Completed before anything is planned.
            case .source(.part): break
            }
            if kind == .local, let last = stretches.last, last.kind == .local {
                stretches[stretches.count - 1].range = last.range.lowerBound..<piece.range.upperBound
            } else {
                stretches.append(CommitPlan.Stretch(range: piece.range, kind: kind))
            }
        }
    }

    /// The object that is the whole file already; nil where there is none.
    func object(ofSize size: Int64) -> ObjectReader? {
        guard stretches.count == 1, let source = sources.first, source.offset == 0, source.reader.size == size else {
            return nil
        }
        return source.reader
    }
}

extension UploadSession {
    var limits: PartLimits { engine.limits }

    /// Makes the object of the file as it is now.
    ///
    /// - Parameter settle: called with what was made, before anybody may write again: the file is the object then, and
    ///   this session takes nothing any more.
    /// - Throws: whatever kept the object from being made; everything unsent is still here. `alreadyExists` only with
    ///   `forbidOverwrite`; `preconditionFailed` or `notFound` where the object that was edited was replaced.
    package func commit(
        _ request: CommitRequest, _ context: RequestContext, settle: (CommitResult) -> Void
    ) throws(ObjectStoreError) {
        try exclusively(context) { () throws(ObjectStoreError) in
            state.withLock { state in
                state.isFrozen = true
                state.failure = nil
            }
            do throws(ObjectStoreError) {
                let made: CommitResult
                if let streamed = try commitStream(request, context) {
                    made = streamed
                } else {
                    made = try commitPlanned(request, context)
                }
                settle(made)
                close()
            } catch {
                if !error.isRetryable { state.withLock { $0.failure = error } }
                throw error
            }
        }
    }

    /// The object is made: what served to make it goes.
    func close() {
        let hidden = state.withLock { state in
            state.isClosed = true
            state.stream = nil
            defer { state.hidden = [] }
            return state.hidden
        }
        engine.sweep(hidden)
    }

    // MARK: Without a stream

    /// Puts the object together of what is here and what other objects have.
    func commitPlanned(_ request: CommitRequest, _ context: RequestContext) throws(ObjectStoreError) -> CommitResult {
        let (layout, size) = state.withLock { state in (Layout(state.map, 0..<Int64.max), state.map.size) }
        if let reader = layout.object(ofSize: size) { return try publish(reader, request, context) }
        // Below a part's length an object is rewritten whole; so is one of two parts that is all here.
        if size <= (layout.sources.isEmpty ? limits.wholePut : limits.base) {
            return try putWhole(size, request, context)
        }
        guard let plan = CommitPlan.make(layout.stretches, limits: limits, count: limits.count) else {
            try consolidate(layout, context)
            return try commitPlanned(request, context)
        }
        let address = try engine.store.initiateUpload(
            InitiateRequest(key: request.key, metadata: request.metadata, properties: request.properties),
            engine.context(context.cancellation))
        do throws(ObjectStoreError) {
            let results = try make(plan, firstNumber: 1, layout, address, context)
            let written = try complete(
                address, results, size: size, metadata: request.metadata, request, context)
            return result(written, size: size, metadata: request.metadata)
        } catch {
            engine.abort(address)
            throw error
        }
    }

    /// Makes a hidden object of as many parts as there may be, upon which the rest goes on.
    private func consolidate(_ layout: Layout, _ context: RequestContext) throws(ObjectStoreError) {
        let whole = CommitPlan.make(layout.stretches, limits: limits, count: Int.max)
        let plan = CommitPlan(parts: Array(whole?.parts.prefix(limits.rollover) ?? []))
        guard let end = plan.parts.last?.range.upperBound, plan.parts.count > 1 else {
            throw ObjectStoreError(
                kind: .tooLarge, operation: "CompleteMultipartUpload",
                message: "The file can't be cut into \(limits.count) parts.", isRetryable: false)
        }
        let key = engine.hiddenKey()
        let address = try engine.store.initiateUpload(
            InitiateRequest(key: key), engine.context(context.cancellation))
        do throws(ObjectStoreError) {
            let results = try make(plan, firstNumber: 1, layout, address, context)
            let written = try complete(address, results, size: end, metadata: ObjectMetadata(), nil, context)
            state.withLock { state in
                state.hidden.append(key)
                let reader = ObjectReader(key: key, etag: written.etag, size: end, cache: engine.cache)
                state.map.replace(0..<end, by: reader)
            }
        } catch {
            engine.abort(address)
            throw error
        }
    }

    /// Copies an object that is the whole file to the file's key, with its final metadata.
    private func publish(
        _ reader: ObjectReader, _ request: CommitRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> CommitResult {
        let pin = reader.pin
        // Onto itself, it is ours to replace: it was completed under its key a moment ago.
        let forbidsOverwrite = request.forbidOverwrite && pin.key != request.key
        let written = try engine.store.copy(
            CopyRequest(
                source: pin.key, destination: request.key, sourceIfMatch: pin.etag, replacing: request.metadata,
                properties: request.properties, taggingReplaces: true, forbidOverwrite: forbidsOverwrite),
            engine.context(context.cancellation))
        return result(written, size: reader.size, metadata: request.metadata)
    }

    private func putWhole(
        _ size: Int64, _ request: CommitRequest, _ context: RequestContext
    ) throws(ObjectStoreError) -> CommitResult {
        let written = try withBody(0..<size, context) { body throws(ObjectStoreError) in
            var written = try engine.store.put(
                PutRequest(
                    key: request.key, metadata: request.metadata, properties: request.properties,
                    forbidOverwrite: request.forbidOverwrite), body: body,
                engine.context(context.cancellation, bytes: body.count))
            written.crc64 = written.crc64 ?? body.crc64
            return written
        }
        return result(written, size: size, metadata: request.metadata)
    }

    func result(_ written: WriteResult, size: Int64, metadata: ObjectMetadata) -> CommitResult {
        let blocks: [Int64: Slab] = state.withLock { state in
            let length = state.map.grid.blockBytes
            return state.map.blocks.compactMapValues { $0.slab }.filter { index, _ in
                let end = Int(min(length, size - index * length))
                return end > 0 && state.map.blocks[index]?.valid.contains(0..<end) == true
            }
        }
        return CommitResult(written: written, size: size, metadata: metadata, blocks: blocks)
    }

    // MARK: Parts

    /// Sends and copies the parts of a plan, several at once; returns them in order.
    func make(
        _ plan: CommitPlan, firstNumber: Int, _ layout: Layout, _ address: UploadAddress, _ context: RequestContext
    ) throws(ObjectStoreError) -> [PartResult] {
        let zeros = try zeroObject(for: plan, context)
        defer { if let zeros { engine.sweep([zeros.key]) } }
        return try engine.inParallel(plan.parts.count, context) { [self] index throws(ObjectStoreError) in
            let part = plan.parts[index]
            guard let number = PartNumber(firstNumber + index) else {
                throw ObjectStoreError(
                    kind: .tooLarge, operation: "UploadPart", key: address.key,
                    message: "There are no part numbers left.", isRetryable: false)
            }
            switch part.kind {
            case .send:
                return try withBody(part.range, context) { body throws(ObjectStoreError) in
                    try engine.store.uploadPart(
                        address, number, body: body, engine.context(context.cancellation, bytes: body.count))
                }
            case .copy(let source):
                let (reader, offset, start) = layout.sources[source]
                let lower = offset + part.range.lowerBound - start
                let range = lower..<lower + Int64(part.range.count)
                let pin = reader.pin
                return try engine.store.copyPart(
                    address, number, from: PartCopySource(key: pin.key, range: range, ifMatch: pin.etag),
                    engine.context(context.cancellation))
            case .copyZeros:
                guard let zeros else { preconditionFailure("a plan that copies zeros has an object of zeros") }
                return try engine.store.copyPart(
                    address, number,
                    from: PartCopySource(key: zeros.key, range: 0..<Int64(part.range.count), ifMatch: zeros.etag),
                    engine.context(context.cancellation))
            }
        }
    }

    /// A hidden object of zeros that the plan's long holes are copied from; nil where it has none.
    private func zeroObject(
        for plan: CommitPlan, _ context: RequestContext
    ) throws(ObjectStoreError) -> (key: ObjectKey, etag: ETag)? {
        let longest = plan.parts.filter { $0.kind == .copyZeros }.map(\.range.count).max()
        guard let longest else { return nil }
        let key = engine.hiddenKey()
        let result = try engine.store.put(
            PutRequest(key: key), body: ZeroBody(count: Int64(longest)), engine.context(context.cancellation))
        return (key, result.etag)
    }

    /// Completes an upload and compares the object's CRC-64 with that of its parts, where those are known.
    func complete(
        _ address: UploadAddress, _ parts: [PartResult], size: Int64, metadata: ObjectMetadata,
        _ request: CommitRequest?, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        var crc64 = PartStream.combined(parts)
        if crc64 == nil, engine.store.capabilities.hasCRC64 {
            // Copied parts: the service knows theirs.
            crc64 = PartStream.combined(try listed(parts, address, context))
        }
        if crc64 == nil {
            engine.log(
                .debug, "the service tells no CRC-64 of copied parts: sizes alone are compared",
                [LogField("key", address.key.bytes)])
        }
        var written = try engine.store.completeUpload(
            CompleteRequest(
                address: address, parts: parts.map { CompletedPart($0) }, size: size, crc64: crc64, metadata: metadata,
                acl: request?.properties.acl, forbidOverwrite: request?.forbidOverwrite ?? false),
            engine.context(context.cancellation))
        written.crc64 = written.crc64 ?? crc64
        return written
    }

    /// The parts with the CRC-64 of each that the service tells.
    private func listed(
        _ parts: [PartResult], _ address: UploadAddress, _ context: RequestContext
    ) throws(ObjectStoreError) -> [PartResult] {
        var found: [PartNumber: PartResult] = [:]
        var next: PartNumber?
        repeat {
            let page = try engine.store.listParts(
                address, after: next, limit: 1000, engine.context(context.cancellation))
            for part in page.parts { found[part.number] = part }
            next = page.next
        } while next != nil
        return parts.map { part in
            guard part.crc64 == nil, let other = found[part.number], other.size == part.size else { return part }
            return other
        }
    }

    /// Runs `body` with the bytes of `range`, what of them other objects have fetched first.
    func withBody<Value>(
        _ range: ByteRange, _ context: RequestContext,
        _ send: (PartBody) throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> Value {
        while true {
            let wanted = FetchedBytes(of: state.withLock { $0.map.pieces(in: range) }, grid: engine.cache.grid).bytes
            let value: Value? = try engine.fetches.with(wanted, context) { () throws(ObjectStoreError) in
                let (pieces, pinned, staging) = state.withLock { state in
                    (state.map.pieces(in: range), state.map.pin(range), state.staging)
                }
                defer { state.withLock { $0.map.unpin(pinned) } }
                let fetched = FetchedBytes(of: pieces, grid: engine.cache.grid)
                // More has left memory meanwhile: it is asked for anew, as it must not be held while others wait for it.
                guard fetched.bytes <= wanted else { return nil }
                try fetched.fetch(engine, context)
                let body = PartBody(range: range, pieces: fetched.completed(pieces), pinned: [], staging: staging)
                try body.computeChecksum()
                return try send(body)
            }
            if let value { return value }
        }
    }
}
