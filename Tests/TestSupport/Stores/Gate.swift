import ObjectStore
import Runtime

/// What a test holds shut while it looks at who waits, and then opens.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting = 0
        var passed = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Lets everyone through, now and later.
    package func open() {
        state.withLock { $0.isOpen = true }
        state.wakeAll()
    }

    /// Makes those who come later wait again.
    package func shut() { state.withLock { $0.isOpen = false } }

    /// How many wait now.
    package var waiting: Int { state.withLock { $0.waiting } }

    /// How many have been let through.
    package var passed: Int { state.withLock { $0.passed } }

    /// Waits until at least `count` wait at the gate; false once `limit` has passed.
    package func waitForArrivals(_ count: Int, within limit: Duration = .seconds(10)) -> Bool {
        state.wait(until: .after(limit)) { $0.waiting >= count ? true : nil } ?? false
    }

    /// Waits until the gate opens; nil then, else the kind with which the call ends.
    func pass(_ context: RequestContext) -> ObjectStoreErrorKind? {
        let number = context.cancellation?.onCancel { [state] in state.wakeAll() }
        defer { if let number { context.cancellation?.remove(number) } }
        state.withLock { $0.waiting += 1 }
        state.wakeAll()
        let result = state.wait(until: context.deadline) { state -> ObjectStoreErrorKind?? in
            if context.cancellation?.isCancelled == true { return .some(.cancelled) }
            guard state.isOpen else { return nil }
            state.passed += 1
            return .some(nil)
        }
        state.withLock { $0.waiting -= 1 }
        return result ?? .unavailable
    }
}
