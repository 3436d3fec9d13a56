import Checksums
import Credentials
import HTTPTransport
import Instrumentation
import ObjectStore
import Runtime

/// What the attempts of one call know of each other.
struct CallState {
    let operation: OSSOperation
    let key: ObjectKey?
    let context: RequestContext
    /// Whether an earlier attempt may have done what was asked.
    var effectIsUnknown = false
    /// Whether the attempt under way moved bytes that count.
    var madeProgress = false
    /// What the last attempt was signed with.
    var credentials: Credentials?

    func failure(
        _ kind: ObjectStoreErrorKind, _ repetition: Repetition, status: Int? = nil, requestID: String = "",
        _ message: String
    ) -> AttemptFailure {
        AttemptFailure(kind, repetition, operation, key, status: status, requestID: requestID, message: message)
    }
}

extension OSSClient {
    /// Makes attempts until one gives a value; what it throws at last is final.
    func repeating<Value>(
        _ operation: OSSOperation, _ key: ObjectKey?, _ context: RequestContext,
        _ attempt: (inout CallState) throws(AttemptFailure) -> Value
    ) throws(ObjectStoreError) -> Value {
        var plan = RetryPlan(configuration.retry)
        var state = CallState(operation: operation, key: key, context: context)
        while true {
            var failure: AttemptFailure
            do throws(AttemptFailure) {
                try checkBounds(state)
                state.madeProgress = false
                return try attempt(&state)
            } catch {
                failure = error
            }
            if context.cancellation?.isCancelled == true, failure.error.kind != .cancelled {
                failure = state.failure(.cancelled, .never, "the caller gave up")
            }
            state.effectIsUnknown = state.effectIsUnknown || failure.mayHaveTakenEffect
            guard prepareRepeat(after: failure, &plan, &state) else {
                if failure.error.kind != .notFound { counters.countFailure() }
                throw failure.error
            }
            counters.countRepeat()
        }
    }

    private func checkBounds(_ state: CallState) throws(AttemptFailure) {
        if state.context.cancellation?.isCancelled == true {
            throw state.failure(.cancelled, .never, "the caller gave up")
        }
        guard remaining(state.context) > .zero else {
            // Repeats end before the deadline, so this is told only where the first attempt came too late.
            throw state.failure(.unavailable, .byCaller, "the time for the call was over before it was sent")
        }
    }

    /// Does what the plan says; false where that is to give up.
    private func prepareRepeat(
        after failure: AttemptFailure, _ plan: inout RetryPlan, _ state: inout CallState
    ) -> Bool {
        let decision = plan.next(
            failure.repetition, madeProgress: state.madeProgress, remaining: remaining(state.context),
            fraction: pausing.fraction())
        switch decision {
        case .giveUp: return false
        case .after(let delay):
            logRepeat(failure, delay)
            pausing.pause(until: clock.monotonic.advanced(by: delay), cancellation: state.context.cancellation)
        case .correctClock:
            guard let serverTime = failure.serverTime else { return false }
            let lead = serverClock.correct(serverTime)
            log(.warning, "clock differs from the server's, corrected", [LogField("lead_seconds", lead)])
        case .refreshCredentials:
            guard let rejected = state.credentials, refresh(rejected, state.context) else { return false }
            logRepeat(failure, .zero)
        }
        return true
    }

    private func refresh(_ rejected: Credentials, _ context: RequestContext) -> Bool {
        do throws(CredentialsError) {
            return try provider.forceRefresh(
                rejected: rejected, deadline: context.deadline, cancellation: context.cancellation) != nil
        } catch {
            log(.warning, "credentials not refreshed", [LogField("cause", error.message)])
            return false
        }
    }

    private func logRepeat(_ failure: AttemptFailure, _ delay: Duration) {
        let error = failure.error
        log(
            .warning, "request repeated",
            [
                LogField("operation", "\(error.operation)"), LogField("key", error.key?.bytes ?? []),
                LogField("cause", error.message), LogField("status", error.status ?? 0),
                LogField("request_id", error.requestID), LogField("delay_ms", delay.wholeMilliseconds),
            ])
    }

    func remaining(_ context: RequestContext) -> Duration {
        let now = clock.monotonic.nanoseconds
        guard context.deadline.nanoseconds > now else { return .zero }
        return .nanoseconds(Int64(clamping: context.deadline.nanoseconds - now))
    }

    /// Signs and sends one request; any status is an answer, which `receiver` has then.
    ///
    /// - Parameter answer: asks the receiver for the answer's status and request id, for the log.
    func send(
        _ request: OSSRequest, into receiver: any HTTPResponseReceiver, _ state: inout CallState,
        answer: () -> HTTPResponseHead?
    ) throws(AttemptFailure) {
        guard gate.enter(until: state.context.deadline, state.context.cancellation) else {
            throw state.context.cancellation?.isCancelled == true
                ? state.failure(.cancelled, .never, "the caller gave up")
                : state.failure(
                    .throttled, .throttled, "the time for the call was over before the server's limits let it")
        }
        defer { leaveGate(status: answer()?.status) }
        let bound = clock.monotonic.advanced(by: attemptTime(request, state.context))
        let message = try signed(request, &state)
        counters.countRequest(request.operation)
        let start = clock.monotonic
        let outcome: TransportError?
        do throws(TransportError) {
            try transport.perform(
                message, into: receiver, deadline: min(bound, state.context.deadline),
                cancellation: state.context.cancellation)
            outcome = nil
        } catch {
            outcome = error
        }
        let head = answer()
        // What the transport made up for by itself was lost as well.
        if head?.wasSentAgain == true { state.effectIsUnknown = true }
        logRequest(request, head, outcome, since: start)
        if let outcome { throw AttemptFailure(outcome, request.operation, request.key) }
    }

    private func leaveGate(status: Int?) {
        guard let limit = gate.leave(status: status, at: clock.monotonic) else { return }
        log(.warning, "the server asks to slow down", [LogField("requests_at_once", limit)])
    }

    /// Our clock as refused dates have corrected it; whole seconds.
    var serverTime: WallTime { WallTime(seconds: serverClock.now.seconds) }

    private func signed(_ request: OSSRequest, _ state: inout CallState) throws(AttemptFailure) -> HTTPRequest {
        let credentials: Credentials
        do throws(CredentialsError) {
            credentials = try provider.credentials(
                deadline: state.context.deadline, cancellation: state.context.cancellation)
        } catch {
            switch error.kind {
            case .unavailable: throw state.failure(.unavailable, .backoff, error.message)
            case .cancelled: throw state.failure(.cancelled, .never, error.message)
            case .missing, .malformed, .refused: throw state.failure(.invalidCredentials, .never, error.message)
            }
        }
        state.credentials = credentials
        let headers = request.headers + [HTTPHeader("User-Agent", configuration.userAgent)]
        let signable = SignableRequest(
            method: request.method, bucket: Array(configuration.bucket.utf8), key: request.key?.bytes,
            query: request.query, headers: headers)
        do throws(DigestError) {
            let added = try signer.headers(for: signable, credentials: credentials, at: serverTime)
            return HTTPRequest(
                method: request.method, url: location.url(key: request.key?.bytes, query: request.query),
                headers: headers + added, body: request.body,
                stallTimeout: request.operation.isWorkOfServer ? answerTime(request) : nil)
        } catch {
            throw state.failure(.unexpected, .never, "OpenSSL refuses \(error.algorithm), which signatures need")
        }
    }

    /// How long one attempt may take: the answer's time, at most half of what is left, and the body's besides.
    private func attemptTime(_ request: OSSRequest, _ context: RequestContext) -> Duration {
        let timeouts = configuration.timeouts
        let left = remaining(context)
        guard let bytes = request.transferBytes else { return left }
        return min(left, min(answerTime(request), left / 2) + .seconds(bytes / max(timeouts.minimumBytesPerSecond, 1)))
    }

    /// How long the service may be silent once it has the whole request.
    private func answerTime(_ request: OSSRequest) -> Duration {
        let timeouts = configuration.timeouts
        guard request.operation.isWorkOfServer else { return timeouts.answer }
        return timeouts.copy + .seconds(request.copiedBytes / max(timeouts.minimumCopiedBytesPerSecond, 1))
    }

    private func logRequest(
        _ request: OSSRequest, _ head: HTTPResponseHead?, _ error: TransportError?, since start: Deadline
    ) {
        guard log.level <= .debug else { return }
        let nanoseconds = clock.monotonic.nanoseconds - min(start.nanoseconds, clock.monotonic.nanoseconds)
        var fields = [
            LogField("operation", "\(request.operation.name)"), LogField("key", request.key?.bytes ?? []),
            LogField("status", head?.status ?? 0), LogField("ms", nanoseconds / 1_000_000),
            LogField("request_id", head?.value(of: "x-oss-request-id") ?? []),
        ]
        if let error { fields.append(LogField("cause", error.message)) }
        log(.debug, "request", fields)
    }

    /// Sends one request whose whole answer fits in memory; returns a successful one, throws any other.
    func exchange(
        _ request: OSSRequest, _ state: inout CallState, maximumBytes: Int = 1 << 20
    ) throws(AttemptFailure) -> (head: HTTPResponseHead, body: [UInt8]) {
        let reply = ReplyBuffer(maximumBytes: maximumBytes)
        do throws(AttemptFailure) {
            try send(request, into: reply, &state) { reply.head }
        } catch {
            guard reply.isTooLarge, state.context.cancellation?.isCancelled != true else { throw error }
            throw state.failure(.unexpected, .doubtful, status: reply.head?.status, "the answer is larger than any")
        }
        guard let head = reply.head else { throw state.failure(.unavailable, .backoff, "there was no answer") }
        guard (200...299).contains(head.status) else {
            throw AttemptFailure(
                ErrorResponse(head: head, body: reply.body, hasKey: request.key != nil), request.operation,
                request.key)
        }
        return (head, reply.body)
    }
}

extension Duration {
    /// Milliseconds, rounded down.
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
