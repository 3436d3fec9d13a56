import CCurl
import Runtime

/// Deadlines, stalls, and bodies that wait.
extension MultiThread {
    /// The longest sleep in milliseconds; anything that comes in ends it.
    private static let longestPoll = 60_000
    /// How soon an early answer is looked at again for its end.
    private static let earlyAnswerPoll = 10

    /// Ends what is past its deadline or has stalled. Looks at nothing while nothing can be due.
    func checkTimes() {
        let now = Deadline.now
        guard now >= nextCheck else { return }
        nextCheck = .never
        for exchange in Array(active.values) { check(exchange, at: now) }
        for exchange in line.exchanges {
            if exchange.deadline <= now {
                let message = "The deadline passed while \(exchange.request.origin) waited for a free connection."
                finish(exchange, .failure(exchange.error(.timedOut, message)))
            } else {
                nextCheck = min(nextCheck, exchange.deadline)
            }
        }
    }

    private func check(_ exchange: Exchange, at now: Deadline) {
        let origin = exchange.request.origin
        if exchange.deadline <= now {
            return finish(
                exchange, .failure(exchange.error(.timedOut, "No whole answer from \(origin) by the deadline.")))
        }
        if exchange.nextSample <= now, let easy = exchange.easy {
            let movement = easy.movement
            // Until the connection stands the connect timeout rules.
            if movement != exchange.lastMovement || !easy.isConnected {
                exchange.lastMovement = movement
                exchange.noteActivity(at: now)
            } else if exchange.lastActivity.advanced(by: exchange.stallTime) <= now {
                let message = "Nothing moved to or from \(origin) for \(exchange.stallTime)."
                return finish(exchange, .failure(exchange.error(.stalled, message)))
            } else {
                exchange.noteSample(at: now)
            }
        }
        nextCheck = min(nextCheck, exchange.deadline, exchange.nextSample)
    }

    /// Lets bodies go on that waited for libcurl to read, and ends exchanges whose early answer is complete: libcurl
    /// would wait for their bodies to be sent.
    func resumeHeldBodies() {
        guard !held.exchanges.isEmpty else { return }
        let waiting = held.exchanges
        held.exchanges = []
        for exchange in waiting where exchange.phase == .active {
            guard let easy = exchange.easy else { continue }
            if !exchange.isAnsweredEarly {
                curl_easy_pause(easy.curl, CURLPAUSE_CONT)
            } else if isComplete(exchange, easy) {
                finish(exchange, .success(()))
            } else {
                exchange.lastReceivedBytes = exchange.receivedBytes
                held.exchanges.append(exchange)
            }
        }
    }

    /// An answer of announced length is complete by its count; another one when its sender has closed and no more came.
    private func isComplete(_ exchange: Exchange, _ easy: EasyHandle) -> Bool {
        if let announced = easy.announcedBytes { return exchange.receivedBytes >= announced }
        return exchange.lastReceivedBytes == exchange.receivedBytes && !easy.isPeerConnected
    }

    /// How long the thread may sleep.
    var pollMilliseconds: Int {
        if !held.exchanges.isEmpty { return Self.earlyAnswerPoll }
        guard nextCheck != .never else { return Self.longestPoll }
        return min(nextCheck.remaining.wholeMilliseconds, Self.longestPoll)
    }
}
