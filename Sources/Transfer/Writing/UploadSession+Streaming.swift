import Instrumentation
import ObjectStore
import Runtime

// Parts that go out while the file is written.

extension UploadSession {
    /// Bytes at the start of a file that stay here until the commit: a block, or more where a part must be longer.
    var headBytes: Int64 {
        let block = engine.cache.grid.blockBytes
        return (limits.smallest + block - 1) / block * block
    }

    /// Follows the run of changes in order that a stream takes its parts from. Under the lock.
    func noteRun(_ range: ByteRange, _ state: inout State) {
        let start = state.stream?.end ?? state.run.lowerBound
        if range.lowerBound >= start, range.lowerBound <= state.run.upperBound {
            guard range.upperBound > state.run.upperBound else { return }
            // What was written ahead of its turn follows on now.
            let end = state.map.unsentEnd(from: range.upperBound)
            state.run = min(state.run.lowerBound, range.lowerBound)..<end
        } else if state.stream == nil {
            state.run = range
        }
    }

    /// Parts that are full, taken out of the run to be sent. Under the lock.
    func cutParts(_ state: inout State) -> StreamCut {
        var result = StreamCut()
        guard !state.isExclusive, !state.isAbandoned, !state.isClosed else { return result }
        if state.stream == nil {
            let start = streamStart(state)
            guard state.run.upperBound - start >= limits.wholePut else { return result }
            beginStream(at: start, &state)
        }
        while let stream = state.stream, !stream.isStalled, stream.nextNumber < limits.rollover {
            let bytes = limits.bytes(ofPart: stream.nextNumber)
            guard state.run.upperBound - stream.end >= bytes, let part = cut(bytes, &state) else { break }
            result.work.append(part)
        }
        if let stream = state.stream, stream.nextNumber >= limits.rollover, !stream.isRollingOver {
            state.stream?.isRollingOver = true
            result.rollsOver = stream.number
        }
        return result
    }

    /// Sends a part before it is full, as others need memory; false where there is nothing long enough.
    func cutShort() -> Bool {
        let work: StreamWork? = state.withLock { state in
            guard !state.isExclusive, !state.isAbandoned, !state.isClosed else { return nil }
            let least = max(limits.smallest, engine.cache.grid.blockBytes)
            let start = state.stream?.end ?? streamStart(state)
            let length = min(state.run.upperBound - start, limits.largest)
            guard length >= least, state.stream?.isStalled != true else { return nil }
            if state.stream == nil { beginStream(at: start, &state) }
            guard let stream = state.stream, stream.nextNumber < limits.rollover else { return nil }
            // Whole blocks, which can be given back; the rest waits for more.
            let block = engine.cache.grid.blockBytes
            let end = (start + length) / block * block
            return cut(end - start >= least ? end - start : length, &state)
        }
        guard let work else { return false }
        start(StreamCut(work: [work]))
        return true
    }

    /// Past the file's first bytes, which are held back.
    private func streamStart(_ state: State) -> Int64 { max(state.run.lowerBound, headBytes) }

    private func beginStream(at start: Int64, _ state: inout State) {
        state.stream = PartStream(
            number: engine.nextNumber(), start: start,
            reserved: min(PartStream.reservedNumbers, max(1, limits.count / 10)))
    }

    private func cut(_ bytes: Int64, _ state: inout State) -> StreamWork? {
        guard let stream = state.stream else { return nil }
        let range = stream.end..<stream.end + bytes
        guard let body = state.map.makeBody(range, staging: state.staging), let part = state.stream?.cut(bytes) else {
            return nil
        }
        state.map.beginSending(range)
        return StreamWork(stream: stream.number, number: part.number, range: range, body: body)
    }

    /// Sends parts on the engine's threads.
    func start(_ cut: StreamCut) {
        if let number = cut.rollsOver { rollOver(number) }
        for part in cut.work {
            engine.noteInFlight(part.body.count)
            let isTaken = engine.submit { [self] in
                do throws(ObjectStoreError) {
                    finish(part, .success(try send(part)))
                } catch {
                    finish(part, .failure(error))
                }
            }
            if !isTaken {
                finish(
                    part,
                    .failure(
                        ObjectStoreError(
                            kind: .cancelled, operation: "UploadPart", message: "The mount is ending.",
                            isRetryable: true)))
            }
        }
    }

    private func send(_ part: StreamWork) throws(ObjectStoreError) -> PartResult {
        let context = engine.context(cancellation, bytes: part.body.count)
        guard let number = PartNumber(part.number) else {
            throw ObjectStoreError(
                kind: .tooLarge, operation: "UploadPart", message: "There are no part numbers left.", isRetryable: false
            )
        }
        let address = try begunStream(part.stream, context)
        try part.body.computeChecksum()
        return try engine.store.uploadPart(address, number, body: part.body, context)
    }

    /// The stream's upload, which the first part's thread begins and the others wait for.
    private func begunStream(_ number: UInt64, _ context: RequestContext) throws(ObjectStoreError) -> UploadAddress {
        var known: UploadAddress?
        var isGone = false
        try wait(context) { state in
            guard let stream = state.stream, stream.number == number, !stream.isStalled else {
                isGone = true
                return true
            }
            if let address = stream.address {
                known = address
                return true
            }
            guard !stream.isBeginning else { return nil }
            state.stream?.isBeginning = true
            return true
        }
        if let known { return known }
        if isGone { throw state.withLock { $0.failure } ?? Self.vanished }
        do throws(ObjectStoreError) {
            guard var target = try target() else { throw Self.vanished }
            if !target.isDirect { target.key = engine.hiddenKey() }
            let request = InitiateRequest(
                key: target.key, metadata: target.metadata,
                properties: target.isDirect ? target.properties : ObjectProperties())
            let address = try engine.store.initiateUpload(request, context)
            state.withLock { state in
                state.stream?.address = address
                state.stream?.isDirect = target.isDirect
                state.stream?.metadata = target.metadata
                state.stream?.isBeginning = false
            }
            state.wakeAll()
            return address
        } catch {
            state.withLock { state in
                state.stream?.isBeginning = false
                state.stream?.isStalled = true
                state.failure = error
            }
            state.wakeAll()
            throw error
        }
    }

    private static var vanished: ObjectStoreError {
        ObjectStoreError(
            kind: .cancelled, operation: "UploadPart", message: "The file is gone or begins anew.", isRetryable: true)
    }

    private func finish(_ work: StreamWork, _ outcome: Result<PartResult, ObjectStoreError>) {
        engine.noteInFlight(-work.body.count)
        let isScarce = engine.cache.slabs.takenBytes > engine.cache.slabs.budgetBytes / 4 * 3
        let next: StreamCut = state.withLock { state in
            state.map.unpin(work.body.pinned)
            guard let index = state.stream?.index(of: work.number), state.stream?.number == work.stream else {
                return StreamCut()
            }
            state.stream?.parts[index].isInFlight = false
            switch outcome {
            case .success(let result):
                state.stream?.parts[index].result = result
                let end = state.stream?.parts[index].visibleEnd ?? work.range.lowerBound
                state.map.under.set(
                    work.range.lowerBound..<end, .part(upload: work.stream, number: work.number, offset: 0))
                state.map.endSending(work.range, isSent: true)
                if isScarce { _ = state.map.dropClean(limit: Int.max) }
            case .failure(let error):
                state.map.endSending(work.range, isSent: false)
                state.stream?.isStalled = true
                if error.kind != .cancelled || state.failure == nil { state.failure = error }
            }
            return cutParts(&state)
        }
        state.wakeAll()
        if case .failure(let error) = outcome, error.kind != .cancelled {
            engine.log(
                .warning, "a part could not be sent; the commit tries again",
                [LogField("part", work.number), LogField("why", error.message)])
        }
        start(next)
    }

    // MARK: Memory

    /// Gives back memory of what was sent; false where there is none.
    func dropSent() -> Bool { state.withLock { !$0.map.dropClean(limit: Self.dropSlabs).isEmpty } }

    /// 16 slabs, 4 MiB: few searches, and much stays for programs that come back.
    private static let dropSlabs = 16

    /// Moves changes out of memory, to the staging file or else to a hidden object; false where nothing could be moved.
    func spill() -> Bool {
        let (spills, staging): ([Spill], StagingFile?) = state.withLock { state in
            guard !state.isAbandoned, !state.isClosed else { return ([], nil) }
            return (state.map.beginSpill(limit: Self.spillSlabs), state.staging)
        }
        guard !spills.isEmpty else { return false }
        if let file = staging ?? engine.staging?.makeFile(), stage(spills, in: file) {
            state.withLock { state in
                if state.staging == nil { state.staging = file }
                state.map.endSpill(spills, state.staging === file ? .staged : .failed)
            }
            return true
        }
        return spillToBucket(spills)
    }

    /// 32 slabs, 8 MiB: one request's worth.
    private static let spillSlabs = 32

    private func stage(_ spills: [Spill], in file: StagingFile) -> Bool {
        let block = engine.cache.grid.blockBytes
        for spill in spills {
            for range in spill.ranges {
                let start = spill.index * block + Int64(range.lowerBound)
                guard file.reserve(start..<start + Int64(range.count)) else { return false }
                let bytes = UnsafeRawBufferPointer(start: spill.slab.base + range.lowerBound, count: range.count)
                guard file.write(bytes, at: start) else { return false }
            }
        }
        return true
    }

    private func spillToBucket(_ spills: [Spill]) -> Bool {
        let body = SpillBody(spills, grid: engine.cache.grid)
        let key = engine.hiddenKey()
        do throws(ObjectStoreError) {
            let result = try engine.store.put(
                PutRequest(key: key), body: body, engine.context(cancellation, bytes: body.count))
            let reader = ObjectReader(key: key, etag: result.etag, size: body.count, cache: engine.cache)
            state.withLock { state in
                state.hidden.append(key)
                for (range, offset) in body.places { setUnder(range, .object(reader, offset: offset), spills, &state) }
                state.map.endSpill(spills, .sent)
            }
            return true
        } catch {
            state.withLock { state in
                state.map.endSpill(spills, .failed)
                if error.kind != .cancelled { state.failure = error }
            }
            // It may be there all the same.
            engine.sweep([key])
            return false
        }
    }

    /// Bytes that were cut off meanwhile are not the file's any more, and zeros may stand in their place.
    private func setUnder(_ range: ByteRange, _ source: ExtentSource, _ spills: [Spill], _ state: inout State) {
        let index = engine.cache.grid.index(of: range.lowerBound)
        guard let spill = spills.first(where: { $0.index == index }), let block = state.map.blocks[index],
            block.slab === spill.slab
        else { return }
        let start = index * engine.cache.grid.blockBytes
        let within = Int(range.lowerBound - start)..<Int(range.upperBound - start)
        for part in block.valid.intersection(within) {
            let place = start + Int64(part.lowerBound)..<start + Int64(part.upperBound)
            state.map.under.set(place, source.advanced(by: place.lowerBound - range.lowerBound))
        }
    }
}

/// Spilled blocks one after the other, as the body of a hidden object.
final class SpillBody: ObjectBody, Sendable {
    let count: Int64
    let crc64: UInt64? = nil
    /// Which bytes of the file stand where in the object.
    let places: [(range: ByteRange, offset: Int64)]
    private let segments: UncheckedSendable<[(offset: Int64, bytes: UnsafeRawBufferPointer)]>
    private let slabs: [Slab]

    init(_ spills: [Spill], grid: BlockGrid) {
        var offset: Int64 = 0
        var places: [(range: ByteRange, offset: Int64)] = []
        var segments: [(offset: Int64, bytes: UnsafeRawBufferPointer)] = []
        for spill in spills {
            for range in spill.ranges {
                let start = spill.index * grid.blockBytes + Int64(range.lowerBound)
                places.append((start..<start + Int64(range.count), offset))
                segments.append(
                    (offset, UnsafeRawBufferPointer(start: spill.slab.base + range.lowerBound, count: range.count)))
                offset += Int64(range.count)
            }
        }
        count = offset
        self.places = places
        self.segments = UncheckedSendable(segments)
        slabs = spills.map(\.slab)
    }

    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let segment = segments.value.last(where: { $0.offset <= offset }), let target = buffer.baseAddress else {
            return 0
        }
        let within = Int(offset - segment.offset)
        let length = min(segment.bytes.count - within, buffer.count)
        guard length > 0, let source = segment.bytes.baseAddress else { return 0 }
        target.copyMemory(from: source + within, byteCount: length)
        return length
    }
}
