import CMicroHTTPD
import Instrumentation
import Runtime

/// What all exchanges share.
struct ServerParts: Sendable {
    let service: Service
    let keys: AccessKeys
    let counters = Counters()
    let rules = FaultRules()
    let waits = Waits()
    let latency = Locked(Latency())
    let log: Log
}

/// One request from its head to its reply. Of its connection's thread alone.
final class Exchange {
    enum Outcome {
        /// Goes on with the body, or to its end.
        case proceed
        case answer(Reply)
        /// The connection closes.
        case drop
    }

    private let parts: ServerParts
    private let target: Bytes
    private var socket: Int32 = -1
    private var slot: Counters.Slot?
    private var fault: FaultRule?
    private var work: Work?
    private var request: Request?
    private var hasBody = false
    private var bodyBytes: UInt64 = 0
    private var bodyPacer: Pacer?
    private(set) var hasBegun = false
    private(set) var manner = ReplySender.Manner()

    /// A body that would be thrown away is read to its end up to this size, so that the client sees the reply and the
    /// connection lives on; a longer one is cut off by the reply.
    private static let discardedBodyLimit: UInt64 = 64 << 20

    init(_ parts: ServerParts, target: Bytes) {
        self.parts = parts
        self.target = target
    }

    /// Takes the head: decides on faults, checks, and starts the operation.
    func begin(method: Bytes, headers: Fields, socket: Int32, isLoopback: Bool) -> Outcome {
        hasBegun = true
        self.socket = socket
        let request = Request(method: method, target: target, headers: headers)
        self.request = request
        let length = headers["content-length"].flatMap(\.decimal) ?? 0
        hasBody = length > 0 || headers.contains("transfer-encoding")
        let other = Router.otherService(request)
        if AdminPath.covers(request), other == nil || !isLoopback {
            work = AdminPath.work(request, parts, isLoopback: isLoopback)
            return .proceed
        }
        let (route, unknown) = other.map { ($0, []) } ?? Router.route(request)
        let operation = route?.operation ?? .unknown
        guard takeFault(operation, request), waitOut(parts.latency.withLock { $0 }) else { return .drop }
        if case .status = fault?.kind {
            let code = Bytes((fault?.code ?? "ServiceUnavailable").utf8)
            work = .reply(ServiceError(status: fault?.status ?? 503, code: code).reply(to: request))
        } else {
            work = answering(request) {
                if let other { return try other.handler(request, self.parts.service) }
                return try self.start(request, route, unknown)
            }
        }
        return earlyAnswer(length: length, expectsContinue: headers.contains("expect"))
    }

    /// Draws the request's fault, and sits a hang out; false if the connection is to close.
    private func takeFault(_ operation: Operation, _ request: Request) -> Bool {
        let logged = request.key.isEmpty ? request.query["prefix"] ?? [] : request.key
        let slot = parts.counters.begin(operation, key: logged)
        self.slot = slot
        guard let rule = parts.rules.take(operation, key: logged) else { return true }
        fault = rule
        // The gate is taken before the count shows the fault: who then clears the rules opens this one.
        let gate = parts.waits.release
        parts.counters.gave(rule.kind, slot)
        switch rule.kind {
        case .dropBefore: return false
        case .hang: return parts.waits.hang(at: gate, socket: socket)
        case .slow:
            manner.pacer = Pacer(rate: rule.rate ?? 1024, release: gate)
            bodyPacer = manner.pacer
        case .cut where !hasBody: manner.breakAfter = rule.afterBytes ?? 0
        case .status, .cut, .dropAfter, .wrongCRC: break
        }
        return true
    }

    /// The latency that all requests have; false if the connection is to close.
    private func waitOut(_ latency: Latency) -> Bool {
        if latency.bandwidth > 0 && manner.pacer == nil {
            manner.pacer = Pacer(rate: latency.bandwidth, release: nil)
            bodyPacer = manner.pacer
        }
        return parts.waits.pause(.nanoseconds(Int64(latency.milliseconds * 1e6)), socket: socket)
    }

    private func start(_ request: Request, _ route: Route?, _ unknown: Bytes) throws -> Work {
        let service = parts.service
        let context = SignatureContext(
            keys: parts.keys, region: service.region, now: service.clock.now,
            allowedSkewSeconds: Int64(clamping: service.limits.skewSeconds), tokens: service.tokens,
            answers: service.answers)
        try SignatureChecker.check(request, context)
        if let endpoint = service.elsewhere[request.bucket] {
            throw ServiceError.servedElsewhere(request, endpoint, service.answers.wrongRegion)
        }
        if !request.bucket.isEmpty && service.folder.birth(ofBucket: request.bucket) == nil {
            throw ServiceError.noSuchBucket(request.bucket)
        }
        if !request.key.isEmpty { try ObjectKeyRules.check(request.key, service.limits) }
        guard let route else { throw ServiceError.notImplemented(unknown) }
        return try route.handler(request, service)
    }

    /// A reply that is known before the body: at once where the client waits for leave to send it, or it is too long.
    private func earlyAnswer(length: UInt64, expectsContinue: Bool) -> Outcome {
        guard hasBody, case .reply = work else { return .proceed }
        return expectsContinue || length > Self.discardedBodyLimit ? finish() : .proceed
    }

    /// Takes the next piece of the body; false if the connection is to close.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyBytes += UInt64(bytes.count)
        if slot != nil { parts.counters.moved(bytesIn: UInt64(bytes.count)) }
        if case .cut = fault?.kind, bodyBytes > fault?.afterBytes ?? 0 { return false }
        if let isAlive = bodyPacer?.pass(bytes.count, waits: parts.waits, socket: socket), !isAlive { return false }
        guard case .receive(let receiver) = work, let request else { return true }
        let refusal = answering(request) {
            try receiver.receive(bytes)
            return nil
        }
        if let refusal {
            receiver.abandon()
            work = refusal
        }
        return true
    }

    /// The whole request is here: does what is left to do.
    func finish() -> Outcome {
        guard let request, let work else { return .drop }
        self.work = nil
        var reply: Reply
        switch work {
        case .reply(let made): reply = made
        case .receive(let receiver):
            let answer = answering(request) { .reply(try receiver.finish()) }
            guard case .reply(let made) = answer else { return .drop }
            reply = made
        }
        guard let slot else { return .answer(reply) }
        if closesUnanswered(reply) {
            reply.discard()
            return .drop
        }
        if parts.service.clock.isShifted { reply.headers.append("Date", Dates.header(parts.service.clock.now)) }
        reply.headers.append("Server", Bytes("AliyunOSS"))
        reply.headers.append("x-oss-request-id", request.requestID)
        if case .wrongCRC = fault?.kind { Self.spoilChecksum(&reply) }
        let sent = request.isHead ? 0 : reply.body.length
        parts.counters.answered(slot, status: reply.status, bytes: bodyBytes + sent)
        return .answer(reply)
    }

    private func closesUnanswered(_ reply: Reply) -> Bool {
        switch fault?.kind {
        case .dropAfter: return true
        // With no body to break off within, the reply itself is what breaks.
        case .cut:
            if case .lengthOnly = reply.body { return true }
            return reply.body.length == 0
        case .status, .slow, .hang, .dropBefore, .wrongCRC, nil: return false
        }
    }

    private static func spoilChecksum(_ reply: inout Reply) {
        for index in reply.headers.all.indices where reply.headers.all[index].name.isEqual(to: "x-oss-hash-crc64ecma") {
            let right = reply.headers.all[index].value.decimal ?? 0
            reply.headers.all[index].value = Bytes(String(right ^ 1).utf8)
        }
    }

    /// Called once, when the library is done with the request, answered or not.
    func end() {
        switch work {
        case .receive(let receiver): receiver.abandon()
        case .reply(let reply): reply.discard()
        case nil: break
        }
        work = nil
    }

    /// What `body` gives, or the reply for what it throws.
    private func answering(_ request: Request, _ body: () throws -> Work?) -> Work? {
        do {
            return try body()
        } catch let error as ServiceError {
            return .reply(error.reply(to: request))
        } catch {
            let storage = error as? StorageError
            parts.log(
                .error, "storage failed",
                [
                    LogField("action", storage.map { Bytes($0.action) } ?? []),
                    LogField("error", storage?.words ?? []), LogField("request_id", request.requestID),
                ])
            return .reply(ServiceError.internalError.reply(to: request))
        }
    }
}
