import ObjectStore
import Runtime
import TestSupport
import Testing

@Suite struct FaultyObjectStoreTests {
    private let memory = MemoryObjectStore()
    private let key = ObjectKey(text: "key")

    private func kind(_ body: () throws -> Void) -> ObjectStoreErrorKind? {
        do { try body() } catch { return (error as? ObjectStoreError)?.kind }
        return nil
    }

    @Test("an ordered error comes as often as ordered, then the store works")
    func errors() throws {
        memory.seed(key, [1])
        let store = FaultyObjectStore(memory)
        let order = store.order(.error(.throttled), on: .head, times: 2)
        for expected in [ObjectStoreErrorKind.throttled, .throttled, nil] {
            #expect(kind { _ = try store.head(key, .test) } == expected)
        }
        #expect(store.given(order) == 2)
        #expect(memory.requests(.head) == 1)
    }

    @Test("an order for a key leaves others alone")
    func keys() throws {
        memory.seed(key, [1])
        memory.seed(ObjectKey(text: "other"), [2])
        let store = FaultyObjectStore(memory)
        store.order(.error(.unavailable), on: .head, key: key)
        #expect(kind { _ = try store.head(ObjectKey(text: "other"), .test) } == nil)
        #expect(kind { _ = try store.head(key, .test) } == .unavailable)
    }

    @Test("each call of an upload takes the fault that was ordered for it")
    func uploads() throws {
        let store = FaultyObjectStore(memory)
        let number = try #require(PartNumber(1))
        let upload = try store.initiateUpload(InitiateRequest(key: key), .test)
        let part = try store.uploadPart(upload, number, body: BytesBody([1]), .test)
        let completion = CompleteRequest(address: upload, parts: [CompletedPart(part)], size: 1)
        let calls: [(StoreOperation, () throws -> Void)] = [
            (.initiateUpload, { _ = try store.initiateUpload(InitiateRequest(key: self.key), .test) }),
            (.uploadPart, { _ = try store.uploadPart(upload, number, body: BytesBody([2]), .test) }),
            (.copyPart, { _ = try store.copyPart(upload, number, from: PartCopySource(key: self.key), .test) }),
            (.listParts, { _ = try store.listParts(upload, after: nil, limit: 1, .test) }),
            (.listUploads, { _ = try store.listUploads(prefix: [], after: nil, limit: 1, .test) }),
            (.abortUpload, { try store.abortUpload(upload, .test) }),
            (.completeUpload, { _ = try store.completeUpload(completion, .test) }),
        ]
        for (operation, call) in calls {
            store.order(.error(.throttled), on: operation)
            #expect(kind(call) == .throttled)
            #expect(store.given(on: operation) == 1)
        }
        #expect(memory.contents(upload, number) == [1] && memory.uploads.count == 1)
        store.order(.errorAfterEffect(.unavailable), on: .completeUpload)
        #expect(kind { _ = try store.completeUpload(completion, .test) } == .unavailable)
        #expect(memory.contents(key) == [1] && memory.uploads.isEmpty)
        #expect(kind { _ = try store.completeUpload(completion, .test) } == .noSuchUpload)
    }

    @Test("an error after the effect leaves the effect")
    func lostAnswer() throws {
        let store = FaultyObjectStore(memory)
        store.order(.errorAfterEffect(.unavailable), on: .put)
        #expect(kind { _ = try store.put(PutRequest(key: key), body: BytesBody([5]), .test) } == .unavailable)
        #expect(memory.contents(key) == [5])
    }

    @Test("a cut get hands over exactly the bytes before the cut", arguments: [0, 1, 1000, 65_536, 100_000])
    func cut(_ bytes: Int) throws {
        memory.seed(key, [UInt8](repeating: 9, count: 100_001))
        let store = FaultyObjectStore(memory)
        store.order(.cut(afterBytes: bytes), on: .get)
        let receiver = CollectingReceiver()
        #expect(kind { _ = try store.get(GetRequest(key: key), into: receiver, .test) } == .unavailable)
        #expect(receiver.bytes.count == bytes)
        #expect(receiver.violations == [])
    }

    @Test("a call at a gate waits until it opens")
    func gate() throws {
        memory.seed(key, [1])
        let store = FaultyObjectStore(memory)
        let gate = Gate()
        store.order(.wait(gate), on: .head)
        let done = Locked(false)
        let store1 = store
        let key = key
        let isStarted = PlainThread.start(name: "waiter", stackBytes: 256 * 1024) {
            _ = try? store1.head(key, .test)
            done.withLock { $0 = true }
        }
        #expect(isStarted)
        #expect(gate.waitForArrivals(1))
        #expect(!done.withLock { $0 })
        gate.open()
        #expect(eventually(within: .seconds(10)) { done.withLock { $0 } })
    }

    @Test("a call at a gate that stays shut ends by its deadline or its cancellation")
    func gateBounds() throws {
        memory.seed(key, [1])
        let store = FaultyObjectStore(memory)
        store.order(.wait(Gate()), on: .head, times: 2)
        let soon = RequestContext(deadline: .after(.milliseconds(20)))
        #expect(kind { _ = try store.head(key, soon) } == .unavailable)
        let cancellation = Cancellation()
        cancellation.cancel()
        let cancelled = RequestContext(deadline: .never, cancellation: cancellation)
        #expect(kind { _ = try store.head(key, cancelled) } == .cancelled)
    }

    @Test("a stalled get goes on when the gate opens, with every byte")
    func stall() throws {
        let bytes = (0..<200_000).map { UInt8($0 % 253) }
        memory.seed(key, bytes)
        let store = FaultyObjectStore(memory)
        let gate = Gate()
        store.order(.stall(afterBytes: 70_000, gate), on: .get)
        let receiver = CollectingReceiver()
        let done = Locked(false)
        let key = key
        let isStarted = PlainThread.start(name: "reader", stackBytes: 256 * 1024) {
            _ = try? store.get(GetRequest(key: key), into: receiver, .test)
            done.withLock { $0 = true }
        }
        #expect(isStarted)
        #expect(gate.waitForArrivals(1))
        #expect(receiver.bytes.count == 70_000)
        gate.open()
        #expect(eventually(within: .seconds(10)) { done.withLock { $0 } })
        #expect(receiver.bytes == bytes)
        #expect(receiver.violations == [])
    }
}
