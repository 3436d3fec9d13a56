import Runtime

/// Waiting and chance, which tests replace so that they neither sleep nor vary.
package protocol Pausing: Sendable {
    /// Blocks until `moment` of the monotonic clock; returns at once when `cancellation` is set.
    func pause(until moment: Deadline, cancellation: Cancellation?)

    /// A number from 0 to 1, another each time.
    func fraction() -> Double
}

/// The machine's waiting and chance.
package struct SystemPausing: Pausing {
    package init() {}

    package func pause(until moment: Deadline, cancellation: Cancellation?) {
        let isWoken = Locked(false)
        let number = cancellation?.onCancel {
            isWoken.withLock { $0 = true }
            isWoken.wakeAll()
        }
        _ = isWoken.wait(until: moment) { $0 ? true : nil }
        if let number { cancellation?.remove(number) }
    }

    package func fraction() -> Double { .random(in: 0...1) }
}
