import Runtime

/// The transport over libcurl: one thread, pooled connections.
///
/// The thread starts with the first exchange, so that an instance may be made before the fork to the background. It
/// ends with `stop`, or some time after the last reference is gone.
package final class CurlTransport: HTTPExchanging {
    /// What can be set.
    package struct Configuration: Sendable {
        /// The path of a PEM file of the authorities to trust, instead of the system's; bytes without NUL.
        package var caFile: [UInt8]?
        /// For the look-up of the name, the connection and the TLS handshake together. 10 s: a lost SYN is sent four
        /// times in that time.
        package var connectTimeout = Duration.seconds(10)
        /// How long nothing may move in either direction once connected. 20 s is what OSS's own SDKs wait.
        package var stallTimeout = Duration.seconds(20)
        /// Connections in use or kept, over all hosts, at least 1; further exchanges wait in line.
        ///
        /// 128 keeps a line of 1 Gbit/s full at 100 ms with parts of 128 KiB.
        package var maximumConnections = 128
        /// The size of libcurl's buffers, of which each exchange under way has one to read into and, with a body, one to
        /// send from; 16 KiB to 2 MiB. They count against no budget of ours.
        ///
        /// 128 KiB: larger ones moved no more in most runs, and 128 connections of two each are 32 MiB already; 64 KiB
        /// moved half as much at worst.
        package var bufferBytes = 128 * 1024
        /// How long an unused connection is kept, in whole seconds. 50 s is less than servers commonly keep theirs.
        package var keepAliveIdle = Duration.seconds(50)
        /// Bytes without NUL or line ends, sent as User-Agent unless the request has one; none where empty.
        package var userAgent = Array("ossmount".utf8)
        /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are heeded as by curl.
        package var usesEnvironmentProxy = true

        package init() {}
    }

    private enum Life {
        case unused
        case running(HandOver)
        case stopped
    }

    private let configuration: Configuration
    // Guards the start and the stop; taken before the queue's lock, never after.
    private let life = Locked(Life.unused)

    package init(_ configuration: Configuration = Configuration()) {
        var configuration = configuration
        configuration.maximumConnections = max(configuration.maximumConnections, 1)
        configuration.bufferBytes = min(max(configuration.bufferBytes, 16 * 1024), 2 * 1024 * 1024)
        self.configuration = configuration
    }

    deinit {
        life.withLock { life in
            if case .running(let handOver) = life { handOver.requestStop() }
        }
    }

    package func perform(
        _ request: HTTPRequest, into receiver: any HTTPResponseReceiver, deadline: Deadline,
        cancellation: Cancellation?
    ) throws(TransportError) {
        let outgoing = try OutgoingRequest(request)
        if cancellation?.isCancelled == true {
            throw TransportError(
                kind: .cancelled, message: "The exchange was cancelled before it began.", mayHaveReachedServer: false)
        }
        if deadline.hasPassed {
            throw TransportError(
                kind: .timedOut, message: "The deadline passed before the exchange with \(outgoing.origin) began.",
                mayHaveReachedServer: false)
        }
        let exchange = Exchange(
            outgoing, into: receiver, deadline: deadline,
            stallTime: request.stallTimeout ?? configuration.stallTimeout)
        let handOver = try startedHandOver()
        guard handOver.submit(exchange) else { throw Self.stopped }
        let number = cancellation?.onCancel { handOver.cancel(exchange) }
        defer { if let number { cancellation?.remove(number) } }
        try exchange.wait().get()
    }

    /// Ends all exchanges with `cancelled`, closes all connections and waits for the thread's end; later exchanges are
    /// refused. Must not be called from a receiver or a body. A second call waits too.
    package func stop() {
        let handOver: HandOver? = life.withLock { life in
            switch life {
            case .running(let handOver): return handOver
            case .unused, .stopped:
                life = .stopped
                return nil
            }
        }
        handOver?.requestStop()
        handOver?.waitForEnd()
    }

    private func startedHandOver() throws(TransportError) -> HandOver {
        try life.withLock { life throws(TransportError) in
            switch life {
            case .running(let handOver): return handOver
            case .stopped: throw Self.stopped
            case .unused:
                guard let handOver = HandOver(), start(handOver) else {
                    throw TransportError(
                        kind: .cannotConnect, message: "The system has no room for the thread that moves HTTP.",
                        mayHaveReachedServer: false)
                }
                life = .running(handOver)
                return handOver
            }
        }
    }

    /// 512 KiB of stack: libcurl and OpenSSL need some 50, receivers are called on it.
    private func start(_ handOver: HandOver) -> Bool {
        PlainThread.start(name: "http", stackBytes: 512 * 1024) { [configuration] in
            handOver.serve { MultiThread(handOver, configuration).run() }
        }
    }

    private static let stopped = TransportError(
        kind: .cancelled, message: "The transport was stopped.", mayHaveReachedServer: false)
}
