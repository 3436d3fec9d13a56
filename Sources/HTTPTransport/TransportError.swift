/// Why an exchange has no complete answer.
package struct TransportError: Error, Sendable {
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// The host's name has no address.
        case nameNotResolved
        /// No connection: refused, unreachable, or not within the connect timeout.
        case cannotConnect
        /// The server's certificate is not trusted, is for another name, or has expired; or TLS failed.
        case tlsFailed
        /// The connection broke, before or in the midst of the answer.
        case connectionLost
        /// The body ended before its announced length.
        case bodyTooShort
        /// Too long without a byte in either direction.
        case stalled
        /// The caller's deadline.
        case timedOut
        /// The caller's cancellation, or its receiver's.
        case cancelled
        /// Not HTTP/1.1, or headers past 64 KiB.
        case malformedAnswer
        /// The request itself can't be sent (an unusable URL or header).
        case invalidRequest
    }

    package var kind: Kind
    /// What happened, for people; names the host, never a header or a query.
    package var message: String
    /// Whether any byte of the request may have reached the server, so that an effect is possible.
    package var mayHaveReachedServer: Bool

    package init(kind: Kind, message: String, mayHaveReachedServer: Bool) {
        self.kind = kind
        self.message = message
        self.mayHaveReachedServer = mayHaveReachedServer
    }
}
