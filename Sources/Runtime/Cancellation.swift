/// One operation's wish to end early: set once, seen by everything that works for the operation.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var nextID: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state = Locked(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets the wish and runs the handlers, on this thread, each once; a second call does nothing.
    package func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        for handler in handlers.values { handler() }
    }

    /// Runs `handler` at cancellation, or at once if that has been; it must not block. Returns the number for `remove`.
    @discardableResult
    package func onCancel(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        let number: UInt64? = state.withLock { state in
            if state.isCancelled { return nil }
            state.nextID += 1
            state.handlers[state.nextID] = handler
            return state.nextID
        }
        guard let number else {
            handler()
            return 0
        }
        return number
    }

    /// Forgets the handler `number`; it may still be running when this returns.
    package func remove(_ number: UInt64) { _ = state.withLock { $0.handlers.removeValue(forKey: number) } }
}
