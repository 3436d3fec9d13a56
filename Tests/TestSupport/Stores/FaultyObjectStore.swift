import ObjectStore
import Runtime

/// A store that passes every call on to another one, except where a test has ordered a fault.
///
/// A call takes the oldest order that fits its operation and key; each order counts what it gave, so that a test can
/// assert that its faults came.
package final class FaultyObjectStore: ObjectStore {
    /// What goes wrong.
    package enum Fault: Sendable {
        /// The call ends with this kind; the store behind never hears of it.
        case error(ObjectStoreErrorKind)
        /// The store behind does its work, then the call ends with this kind: a lost answer.
        case errorAfterEffect(ObjectStoreErrorKind)
        /// The call waits at the gate, then goes on as if nothing had been.
        case wait(Gate)
        /// The call is done by the store behind, then its answer waits at the gate.
        case waitAfterEffect(Gate)
        /// A get hands over so many bytes, then ends as `unavailable`; other calls take it as an error.
        case cut(afterBytes: Int)
        /// A get hands over so many bytes, then waits at the gate before each further piece.
        case stall(afterBytes: Int, Gate)
        /// A get hands over all bytes, the one at this offset changed, waits at the gate if there is one, and ends as
        /// `corrupted`; other calls take it as an error.
        case corrupt(at: Int64, Gate? = nil)
    }

    /// One fault that was ordered, to ask how often it was given.
    package struct Order: Sendable, Hashable {
        fileprivate let number: Int
    }

    private struct Entry {
        let number: Int
        let operation: StoreOperation
        let key: ObjectKey?
        let fault: Fault
        var left: Int
    }

    private struct State {
        var entries: [Entry] = []
        var given: [Int: Int] = [:]
        var givenTo: [StoreOperation: Int] = [:]
        var next = 0
    }

    let base: any ObjectStore
    // Guards the orders and their counts.
    private let state = Locked(State())

    package init(_ base: any ObjectStore) { self.base = base }

    package var capabilities: StoreCapabilities { base.capabilities }

    /// Orders `fault` for the next `times` calls of `operation`, only those for `key` where one is given.
    @discardableResult
    package func order(
        _ fault: Fault, on operation: StoreOperation, key: ObjectKey? = nil, times: Int = 1
    ) -> Order {
        state.withLock { state in
            state.next += 1
            state.entries.append(
                Entry(number: state.next, operation: operation, key: key, fault: fault, left: times))
            return Order(number: state.next)
        }
    }

    /// Takes back all orders; calls that wait at a gate go on waiting.
    package func clearOrders() { state.withLock { $0.entries = [] } }

    /// How often the order was carried out.
    package func given(_ order: Order) -> Int { state.withLock { $0.given[order.number] ?? 0 } }

    /// How many calls of `operation` met a fault.
    package func given(on operation: StoreOperation) -> Int { state.withLock { $0.givenTo[operation] ?? 0 } }

    package func probe(_ context: RequestContext) throws(ObjectStoreError) {
        try run(.probe, "ListObjectsV2", nil, context) { () throws(ObjectStoreError) in try base.probe(context) }
    }

    package func list(_ request: ListRequest, _ context: RequestContext) throws(ObjectStoreError) -> ListPage {
        // A listing has a prefix instead of a key: an order for a key fits the listing of exactly that prefix.
        try run(.list, "ListObjectsV2", ObjectKey(request.prefix), context) { () throws(ObjectStoreError) in
            try base.list(request, context)
        }
    }

    package func head(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) -> ObjectInfo {
        try run(.head, "HeadObject", key, context) { () throws(ObjectStoreError) in try base.head(key, context) }
    }

    package func get(
        _ request: GetRequest, into receiver: any ObjectReceiver, _ context: RequestContext
    ) throws(ObjectStoreError) -> ObjectInfo {
        let fault = take(.get, request.key)
        let limit: Int
        var gate: Gate?
        switch fault {
        case .cut(let bytes): limit = bytes
        case .stall(let bytes, let shut): (limit, gate) = (bytes, shut)
        case .corrupt(let offset, let gate):
            _ = try base.get(request, into: CorruptingReceiver(receiver, at: offset), context)
            throw failure(gate?.pass(context) ?? .corrupted, "GetObject", request.key)
        default:
            return try carryOut(fault, "GetObject", request.key, context) { () throws(ObjectStoreError) in
                try base.get(request, into: receiver, context)
            }
        }
        let cutter = CuttingReceiver(receiver, limit: limit, gate: gate, context: context)
        do {
            let info = try base.get(request, into: cutter, context)
            if cutter.kind == nil { return info }
        } catch {
            guard cutter.kind != nil else { throw error }
        }
        throw failure(cutter.kind ?? .unavailable, "GetObject", request.key)
    }

    package func put(
        _ request: PutRequest, body: any ObjectBody, _ context: RequestContext
    ) throws(ObjectStoreError) -> WriteResult {
        try run(.put, "PutObject", request.key, context) { () throws(ObjectStoreError) in
            try base.put(request, body: body, context)
        }
    }

    package func copy(_ request: CopyRequest, _ context: RequestContext) throws(ObjectStoreError) -> WriteResult {
        try run(.copy, "CopyObject", request.destination, context) { () throws(ObjectStoreError) in
            try base.copy(request, context)
        }
    }

    package func delete(_ key: ObjectKey, _ context: RequestContext) throws(ObjectStoreError) {
        try run(.delete, "DeleteObject", key, context) { () throws(ObjectStoreError) in
            try base.delete(key, context)
        }
    }

    // MARK: - Carrying out

    func run<Result>(
        _ operation: StoreOperation, _ name: StaticString, _ key: ObjectKey?, _ context: RequestContext,
        _ body: () throws(ObjectStoreError) -> Result
    ) throws(ObjectStoreError) -> Result {
        try carryOut(take(operation, key), name, key, context, body)
    }

    private func carryOut<Result>(
        _ fault: Fault?, _ name: StaticString, _ key: ObjectKey?, _ context: RequestContext,
        _ body: () throws(ObjectStoreError) -> Result
    ) throws(ObjectStoreError) -> Result {
        switch fault {
        case nil:
            return try body()
        case .error(let kind):
            throw failure(kind, name, key)
        case .cut, .stall:
            throw failure(.unavailable, name, key)
        case .corrupt:
            throw failure(.corrupted, name, key)
        case .errorAfterEffect(let kind):
            _ = try body()
            throw failure(kind, name, key)
        case .wait(let gate):
            if let kind = gate.pass(context) { throw failure(kind, name, key) }
            return try body()
        case .waitAfterEffect(let gate):
            let result = try body()
            if let kind = gate.pass(context) { throw failure(kind, name, key) }
            return result
        }
    }

    private func take(_ operation: StoreOperation, _ key: ObjectKey?) -> Fault? {
        state.withLock { state in
            let fits = state.entries.firstIndex { entry in
                entry.operation == operation && entry.left > 0 && (entry.key == nil || entry.key == key)
            }
            guard let index = fits else { return nil }
            let entry = state.entries[index]
            state.entries[index].left -= 1
            if state.entries[index].left == 0 { state.entries.remove(at: index) }
            state.given[entry.number, default: 0] += 1
            state.givenTo[operation, default: 0] += 1
            return entry.fault
        }
    }

    private func failure(
        _ kind: ObjectStoreErrorKind, _ operation: StaticString, _ key: ObjectKey?
    ) -> ObjectStoreError {
        ObjectStoreError(
            kind: kind, operation: operation, key: key, message: "a fault that a test ordered",
            isRetryable: kind == .unavailable || kind == .throttled)
    }
}

/// Passes on so many bytes, then stops the get or waits at a gate.
private final class CuttingReceiver: ObjectReceiver {
    private struct State {
        var left: Int
        var kind: ObjectStoreErrorKind?
    }

    private let receiver: any ObjectReceiver
    private let gate: Gate?
    private let context: RequestContext
    private let state: Locked<State>

    init(_ receiver: any ObjectReceiver, limit: Int, gate: Gate?, context: RequestContext) {
        self.receiver = receiver
        self.gate = gate
        self.context = context
        state = Locked(State(left: limit))
    }

    /// Why the get was ended here; nil where it wasn't.
    var kind: ObjectStoreErrorKind? { state.withLock { $0.kind } }

    func begin(_ info: ObjectInfo) { receiver.begin(info) }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        let allowed = state.withLock { state in
            let allowed = min(state.left, bytes.count)
            state.left -= allowed
            return allowed
        }
        if allowed > 0 {
            let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(allowed))
            guard receiver.receive(piece, at: offset) else { return false }
        }
        guard allowed < bytes.count else { return true }
        guard let gate else { return end(.unavailable) }
        if let kind = gate.pass(context) { return end(kind) }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(allowed))
        return receiver.receive(rest, at: offset + Int64(allowed))
    }

    private func end(_ kind: ObjectStoreErrorKind) -> Bool {
        state.withLock { $0.kind = kind }
        return false
    }
}

/// Passes everything on, with one byte changed.
private final class CorruptingReceiver: ObjectReceiver {
    private let receiver: any ObjectReceiver
    private let position: Int64

    init(_ receiver: any ObjectReceiver, at position: Int64) {
        self.receiver = receiver
        self.position = position
    }

    func begin(_ info: ObjectInfo) { receiver.begin(info) }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        var changed = Array(bytes)
        if (offset..<offset + Int64(bytes.count)).contains(position) { changed[Int(position - offset)] ^= 0x10 }
        return changed.withUnsafeBytes { receiver.receive($0, at: offset) }
    }
}
