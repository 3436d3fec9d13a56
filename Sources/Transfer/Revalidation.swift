import ObjectStore
import Runtime

/// What the headers of a get without a pinned version said: whether the version that a reader has is still the present one.
///
/// The get goes on after its headers and brings the bytes, so that opening and reading a small file is one request.
package final class Revalidation: Sendable {
    package enum Outcome: Sendable {
        /// The version is the present one; its bytes are on their way.
        case current(ObjectInfo)
        /// Another one is, or something that a HEAD must tell; nothing of it was kept.
        case replaced
        /// There was no answer, or a refusal.
        case failed(ObjectStoreError)
    }

    // A leaf, at which the opener waits.
    private let outcome = Locked<Outcome?>(nil)

    /// Waits for the headers; nil at the deadline, and where `cancellation` is set.
    package func wait(until deadline: Deadline, _ cancellation: Cancellation?) -> Outcome? {
        let number = cancellation?.onCancel { [self] in outcome.wakeAll() }
        defer { if let number { cancellation?.remove(number) } }
        return outcome.wait(until: deadline) { outcome -> Outcome?? in
            if let outcome { return .some(outcome) }
            return cancellation?.isCancelled == true ? .some(nil) : nil
        } ?? nil
    }

    /// Tells the opener; only the first word counts.
    func settle(_ result: Outcome) {
        outcome.withLock { if $0 == nil { $0 = result } }
        outcome.wakeAll()
    }
}
