// HTTPTransport: one HTTP/1.1 exchange at a time for each caller, over libcurl; knows no service.
//
// Parts: `HTTPExchanging` is the seam that clients are written against. `CurlTransport` implements it: the thread of
// a caller checks its request (`OutgoingRequest`), makes an `Exchange`, puts it into the `HandOver` and sleeps on it.
// One thread, `MultiThread`, owns the libcurl multi handle and all else: it takes exchanges in, keeps those that find
// no free connection in a `WaitingLine`, drives libcurl, watches deadlines and stalls, and tells each caller its end.
// libcurl calls back through `CurlCallbacks` into the `Exchange`: a `HeadReader` makes the head, body bytes go
// straight to the receiver and come straight out of the request's body. `CurlFailure` tells what libcurl's results
// mean. `OpenSockets` finds the socket of an exchange, which libcurl names too late.
//
// Invariants:
// - Receivers and bodies are called on the multi thread alone, never after `perform` has returned, and must not block:
//   every other exchange waits meanwhile.
// - Each exchange ends exactly once, in `MultiThread.finish`: by libcurl, deadline, stall, cancellation or stop.
// - An exchange is given to libcurl only while fewer than `maximumConnections` are: libcurl never makes it wait, so its
//   stall time counts only where bytes could move. Deadline and cancellation count in the line too.
// - Movement is what the kernel saw acknowledged or received, as a send buffer may drain for longer than a stall.
// - What is given up is reset: the kernel delivers no more of it to a server that was only slow.
// - Nothing is added to a request but Host, Content-Length and User-Agent; nothing is decoded, followed or stored.
// - The first exchange starts libcurl and the thread; both would not survive a fork.
//
// Failures: everything is a `TransportError`, whose kind is decided here once. Its message names host and port, never a
// path, query or header: those may hold signatures. A request is repeated only by libcurl itself, where a kept
// connection turned out to be closed before any byte of an answer. An answer that comes before the whole body was sent
// is an answer: from 300 on the rest of the body is not sent, and the connection is not used again.
//
// Deliberately not here: retries, redirects, cookies, content codings, HTTP/2 (OSS offers none), caching, a second
// thread (one moves more than a 10 Gbit/s line carries). Rejected: a libcurl handle per caller's thread, as fast, but
// it can be woken neither for cancellation nor for a stop; a queue inside libcurl, where waiting counts as stalling.

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
