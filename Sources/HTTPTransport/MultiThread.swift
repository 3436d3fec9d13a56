import CCurl
import Runtime

/// The body of the one thread that moves all HTTP: takes exchanges in, drives libcurl, keeps the times.
final class MultiThread {
    /// Idle handles kept for reuse. Each may keep its buffers, so it is far below the most connections.
    private static let keptHandles = 16

    let handOver: HandOver
    private let configuration: CurlTransport.Configuration
    private let share: UnsafeMutableRawPointer?
    private var idle: [EasyHandle] = []
    private(set) var line = WaitingLine()
    private(set) var active: [UnsafeMutableRawPointer: Exchange] = [:]
    let held = HeldBodies()
    /// No deadline or stall is due before it.
    var nextCheck = Deadline.never

    init(_ handOver: HandOver, _ configuration: CurlTransport.Configuration) {
        self.handOver = handOver
        self.configuration = configuration
        share = curl_share_init().map { UnsafeMutableRawPointer($0) }
        if let share { ccurl_share_tls_sessions(share) }
        ccurl_multi_set_long(handOver.multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        ccurl_multi_set_long(handOver.multi, CURLMOPT_MAXCONNECTS, configuration.maximumConnections)
    }

    deinit {
        idle = []
        if let share { curl_share_cleanup(share) }
    }

    /// Runs until a stop is asked for; then every exchange has ended.
    func run() {
        while true {
            let delivery = handOver.take()
            for exchange in delivery.arrivals { admit(exchange) }
            for exchange in delivery.cancelled {
                finish(exchange, .failure(exchange.error(.cancelled, "The exchange was cancelled.")))
            }
            if delivery.isStopping { break }
            startWaiting()
            var running: Int32 = 0
            curl_multi_perform(handOver.multi, &running)
            takeFinished()
            resumeHeldBodies()
            checkTimes()
            startWaiting()
            if handOver.fallAsleep() {
                var ready: Int32 = 0
                curl_multi_poll(handOver.multi, nil, 0, Int32(pollMilliseconds), &ready)
            }
        }
        for exchange in Array(active.values) + line.removeAll() {
            finish(exchange, .failure(exchange.error(.cancelled, "The transport was stopped.")))
        }
    }

    private func admit(_ exchange: Exchange) {
        line.append(exchange)
        nextCheck = min(nextCheck, exchange.deadline)
    }

    /// Gives exchanges in line to libcurl while connections are free.
    private func startWaiting() {
        while active.count < configuration.maximumConnections, let exchange = line.takeFirst() { start(exchange) }
    }

    private func start(_ exchange: Exchange) {
        guard let easy = idle.popLast() ?? EasyHandle(share: share, sockets: handOver.sockets) else {
            return finish(exchange, .failure(exchange.error(.cannotConnect, "Out of memory.")))
        }
        exchange.easy = easy
        exchange.phase = .active
        exchange.held = held
        exchange.noteActivity(at: .now)
        active[easy.curl] = exchange
        guard easy.prepare(exchange, configuration), curl_multi_add_handle(handOver.multi, easy.curl) == CURLM_OK
        else {
            return finish(exchange, .failure(OutgoingRequest.refusal("libcurl can't use the request.")))
        }
        nextCheck = min(nextCheck, exchange.nextSample)
    }

    private func takeFinished() {
        var curl: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while ccurl_multi_next_done(handOver.multi, &curl, &code) {
            guard let curl, let exchange = active[curl] else { continue }
            if exchange.remains.isEmpty, CurlFailure.isStaleConnection(exchange, code) {
                repeatOnce(exchange)
            } else {
                finish(exchange, CurlFailure.result(of: exchange, code: code))
            }
        }
    }

    /// Sends the request again, on a new connection. libcurl does so itself where it learns by reading that a kept
    /// connection was closed, but not where it learns by writing.
    private func repeatOnce(_ exchange: Exchange) {
        guard let easy = exchange.easy else { return }
        curl_multi_remove_handle(handOver.multi, easy.curl)
        exchange.isRepeated = true
        ccurl_set_long(easy.curl, CURLOPT_FRESH_CONNECT, 1)
        guard exchange.seekBody(to: 0), curl_multi_add_handle(handOver.multi, easy.curl) == CURLM_OK else {
            return finish(exchange, CurlFailure.result(of: exchange, code: CURLE_SEND_ERROR))
        }
    }

    /// Ends `exchange` unless it has ended: takes it from libcurl and tells its caller. Never called from a callback.
    func finish(_ exchange: Exchange, _ result: Result<Void, TransportError>) {
        guard exchange.phase != .ended else { return }
        let wasWaiting = exchange.phase == .waiting
        exchange.phase = .ended
        if wasWaiting { line.noteGone() }
        if let easy = exchange.easy {
            handOver.sockets.forget(exchange)
            if case .failure = result, let socket = easy.socket { OpenSockets.resetAtClose(socket) }
            curl_multi_remove_handle(handOver.multi, easy.curl)
            active[easy.curl] = nil
            exchange.easy = nil
            exchange.held = nil
            // A handle whose exchange failed is not used again: after a failed name look-up libcurl 7.88 refuses it.
            if case .success = result, idle.count < Self.keptHandles {
                easy.clear()
                idle.append(easy)
            }
        }
        exchange.complete(result)
    }
}
