import Runtime

/// Sends HTTP exchanges; what the clients of the services see of the network.
///
/// May be called from any thread; `perform` blocks its thread until the exchange has ended.
package protocol HTTPExchanging: Sendable {
    /// Sends `request` and hands the reply's headers and body to `receiver` as they arrive.
    ///
    /// Any status from 100 to 999 is an answer, not an error. Ends with `timedOut` at `deadline`, with `cancelled` once
    /// `cancellation` is set. Nothing is repeated but a request that a kept connection turned out to be closed for
    /// before any byte of an answer.
    func perform(
        _ request: HTTPRequest, into receiver: any HTTPResponseReceiver, deadline: Deadline,
        cancellation: Cancellation?
    ) throws(TransportError)
}
