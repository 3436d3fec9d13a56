import CObjectServer

/// AppendObject: one more piece at the end of an object that was made by appending; and SealAppendObject, the end of that.
enum AppendObject {
    static let routes = [
        Route("POST", .object, query: ["append", "position"], .appendObject) {
            .receive(try AppendReceiver($0, $1))
        },
        Route("POST", .object, query: ["seal", "position"], .sealAppendObject) { .reply(try seal($0, $1)) },
        Route("POST", .object, query: ["append"], .appendObject) { _, _ in
            throw ServiceError.invalidArgument(
                "The position parameter is missing.", name: "position", ec: "0016-00000501")
        },
    ]

    /// Ends the growth of an object; done again it tells the first time.
    private static func seal(_ request: Request, _ service: Service) throws -> Reply {
        let position = try position(of: request)
        let sealed = try service.folder.change(request.bucket, request.key) { old in
            guard var object = old else { throw ServiceError.noSuchKey(request.key) }
            guard object.isAppendable else { throw notAppendable(object) }
            try checkEnd(object, position: position)
            if object.sealedTime == nil { object.fields.append(sealHeader, Dates.header(service.clock.now)) }
            return object
        }
        var reply = Reply(200)
        reply.headers.append(sealHeader, sealed.sealedTime ?? [])
        return reply
    }

    fileprivate static let sealHeader: StaticString = "x-oss-sealed-time"

    fileprivate static func position(of request: Request) throws(ServiceError) -> UInt64 {
        let text = request.query["position"] ?? []
        guard let position = text.decimal else {
            throw .invalidArgument("The position parameter is no number.", name: "position", value: text)
        }
        return position
    }

    /// Refuses a position that isn't the end, and an object that doesn't grow.
    static func check(_ old: StoredObject?, position: UInt64) throws(ServiceError) {
        if let old, !old.isAppendable || old.sealedTime != nil { throw notAppendable(old) }
        try checkEnd(old, position: position)
    }

    private static func notAppendable(_ old: StoredObject) -> ServiceError {
        ServiceError(
            409, "ObjectNotAppendable", "The object is not appendable", ec: "0026-00000008",
            details: [.init(name: "ObjectName", value: old.key)])
    }

    private static func checkEnd(_ old: StoredObject?, position: UInt64) throws(ServiceError) {
        let end = old?.size ?? 0
        guard position != end else { return }
        var error = ServiceError(
            409, "PositionNotEqualToLength", "Position is not equal to file length", ec: "0026-00000016",
            details: [.init(name: "NextAppendPosition", value: Bytes(String(end).utf8))])
        error.headers.append("x-oss-next-append-position", Bytes(String(end).utf8))
        error.headers.append("x-oss-hash-crc64ecma", Bytes(String(old?.crc ?? 0).utf8))
        throw error
    }
}

/// One AppendObject under way.
final class AppendReceiver: BodyReceiver {
    private let request: Request
    private let service: Service
    private let intake: BodyIntake
    private let position: UInt64
    private let row: StoredObject

    init(_ request: Request, _ service: Service) throws {
        self.request = request
        self.service = service
        position = try AppendObject.position(of: request)
        // What the first append says about the object holds; later ones only bring bytes.
        row = try PutObject.row(request, type: "Appendable")
        try AppendObject.check(try service.folder.object(request.bucket, request.key), position: position)
        let limit = service.limits.bodyMaximum
        intake = try BodyIntake(request, service, limit: limit - min(limit, position), takesMD5: false)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws { try intake.receive(bytes) }

    func finish() throws -> Reply {
        let came = try intake.finish()
        let grown: StoredObject
        do {
            grown = try service.folder.change(request.bucket, request.key) { [row, position, service] old in
                try AppendObject.check(old, position: position)
                var grown = old ?? row
                if service.answers.appendMetadata == .last { grown.takeUserMetadata(of: row) }
                grown.pieces += came.pieces
                grown.crc = cobjectserver_crc64_combine(grown.crc, came.crc, came.size)
                grown.size += came.size
                grown.etag = PutReceiver.etag(size: grown.size, crc: grown.crc, md5: nil)
                grown.modified = service.clock.now
                return grown
            }
        } catch {
            intake.abandon()
            throw error
        }
        var reply = Reply(200)
        reply.headers.append("ETag", [0x22] + grown.etag + [0x22])
        service.name(grown, of: request.bucket, in: &reply.headers)
        reply.headers.append("x-oss-next-append-position", Bytes(String(grown.size).utf8))
        reply.headers.append("x-oss-hash-crc64ecma", Bytes(String(grown.crc).utf8))
        return reply
    }

    func abandon() { intake.abandon() }
}

extension StoredObject {
    /// When its growth was ended, as a header has it; nil where it wasn't.
    fileprivate var sealedTime: Bytes? { fields[AppendObject.sealHeader] }

    /// Puts the x-oss-meta-* of `other`, if it has any, in the place of its own.
    fileprivate mutating func takeUserMetadata(of other: StoredObject) {
        let new = other.fields.all.filter { $0.name.hasPrefix(ObjectHeaders.userPrefix) }
        guard !new.isEmpty else { return }
        fields.all = fields.all.filter { !$0.name.hasPrefix(ObjectHeaders.userPrefix) } + new
    }
}
