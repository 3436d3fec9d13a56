import Glibc
import ObjectStore
import Runtime
import Transfer

extension FileSystem {
    package func read(
        inode: InodeNumber, handle: HandleID, offset: Int64, count: Int, context: OperationContext,
        reply: @escaping Reply<ReadBytes>
    ) {
        let number = handle.rawValue
        guard let handle = handles.withLock({ $0.file(handle) }), offset >= 0, count >= 0 else {
            _ = reply(.failure(FileSystemError(EBADF)))
            return
        }
        let range = offset..<offset + Int64(count)
        enum Source { case memory(ReadBytes), object(ObjectReader), mixed }
        let source: Source = handle.file.state.withLock { state in
            if let map = state.map {
                // Bytes that are neither written nor the base's are in memory too: zeros.
                guard map.missing(in: range).isEmpty else { return .mixed }
                return .memory(Self.copy(range, of: map))
            }
            return reader(of: &state).map { .object($0) } ?? .memory(.empty)
        }
        switch source {
        case .memory(let bytes): _ = reply(.success(bytes))
        case .object(let reader):
            let share = cache.readShare(of: number)
            let ahead = handle.state.withLock { state in
                state.window.advance(offset: offset, count: Int64(count), size: reader.size, share: share)
            }
            reader.read(range, ahead: ahead, cancellation: context.cancellation) { [self] result in
                switch result {
                case .success(let bytes): _ = reply(.success(bytes))
                case .failure(let error):
                    noteReadFailure(error, of: inode)
                    let failure = readError(error)
                    report(failure)
                    _ = reply(.failure(failure))
                }
            }
        case .mixed:
            dispatch(context, reply) { [self] () throws(FileSystemError) in
                try fill(range, of: handle.file, inode: inode, requestContext(context))
                return handle.file.state.withLock { state in
                    state.map.map { Self.copy(range, of: $0) } ?? .empty
                }
            }
        }
    }

    /// The reader of a file's base, made at the first read; nil for a file that has none. Under the file's lock.
    func reader(of state: inout FileContent.State) -> ObjectReader? {
        if let reader = state.reader { return reader }
        guard let base = state.base else { return nil }
        let reader = ObjectReader(key: base.key, etag: base.listed.etag, size: base.listed.size, cache: cache)
        state.reader = reader
        return reader
    }

    /// A copy of `range` of a file with unsent bytes, cut at its end.
    private static func copy(_ range: ByteRange, of map: BlockMap) -> ReadBytes {
        let end = min(range.upperBound, map.size)
        guard end > range.lowerBound else { return .empty }
        let buffer = CopiedBytes(count: Int(end - range.lowerBound))
        map.copy(from: range.lowerBound, into: buffer.bytes)
        return ReadBytes(segments: [UnsafeRawBufferPointer(buffer.bytes)], owners: [buffer])
    }

    /// Brings in what `range` of a file with unsent bytes lacks of its base.
    func fill(
        _ range: ByteRange, of file: FileContent, inode: InodeNumber, _ context: RequestContext
    ) throws(FileSystemError) {
        while true {
            let next: (range: ByteRange, reader: ObjectReader)? = file.state.withLock { state in
                guard let map = state.map, let missing = Self.firstRun(of: map.missing(in: range)) else { return nil }
                return reader(of: &state).map { (missing, $0) }
            }
            guard let (missing, reader) = next else { return }
            let bytes: ReadBytes
            do throws(ObjectStoreError) {
                bytes = try reader.readNow(missing, context)
            } catch {
                noteReadFailure(error, of: inode)
                throw readError(error)
            }
            try enter(bytes, at: missing, of: file, context)
        }
    }

    /// The first of the missing ranges with those that touch it, up to 4 MiB: few requests, and a bounded buffer.
    private static func firstRun(of missing: [ByteRange]) -> ByteRange? {
        guard var run = missing.first else { return nil }
        for next in missing.dropFirst() {
            guard next.lowerBound == run.upperBound, next.upperBound - run.lowerBound <= 4 << 20 else { break }
            run = run.lowerBound..<next.upperBound
        }
        return run
    }

    /// Puts bytes of the base into the map, block by block: the segments of a read never span two blocks.
    private func enter(
        _ bytes: ReadBytes, at range: ByteRange, of file: FileContent, _ context: RequestContext
    ) throws(FileSystemError) {
        var position = range.lowerBound
        for segment in bytes.segments {
            var slabs = try takeSlabs(1, context)
            file.state.withLock { state in _ = state.map?.fill(segment, at: position, slabs: &slabs) }
            position += Int64(segment.count)
        }
    }

    /// A read pinned to a version that is gone is ESTALE, also where the whole object is.
    private func readError(_ error: ObjectStoreError) -> FileSystemError {
        error.kind == .notFound ? FileSystemError(ESTALE, error.summary) : FileSystemError(error)
    }

    /// Another version stands under the name now: the kernel is to look it up again.
    private func noteReadFailure(_ error: ObjectStoreError, of inode: InodeNumber) {
        // The kernel may keep pages that were read before the checksum turned out to be another.
        if error.kind == .corrupted { notifier.invalidateInode(inode, dropsPages: true) }
        guard error.kind == .preconditionFailed || error.kind == .notFound else { return }
        table.withLock { table in
            guard let node = table[inode], let file = node.file, node.parent != nil else { return }
            guard !file.state.withLock({ $0.isLocal || $0.writers > 0 }) else { return }
            node.parent?.directory.listing = nil
            replace(node, &table)
        }
    }
}

/// Bytes copied for one answer.
final class CopiedBytes: Sendable {
    private let memory: UncheckedSendable<UnsafeMutableRawBufferPointer>
    var bytes: UnsafeMutableRawBufferPointer { memory.value }

    init(count: Int) {
        memory = UncheckedSendable(UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16))
    }

    deinit { memory.value.deallocate() }
}
