import FuzzSupport

@testable import ObjectServer

/// What the server's parsers make of a request's parts.
enum RequestParts {
    static func examine(_ request: Request, body: Bytes) throws(Finding) {
        try examineTarget(request)
        for header in request.headers.all { try examineValue(header.value) }
        for item in request.query.all { try examineValue(item.value) }
        try examineDocument(body)
    }

    /// A request that the client made of `original`: it must come out the same, and its signature must hold.
    static func examineSigned(
        _ original: Request, _ method: Bytes, _ target: Bytes, _ headers: [(Bytes, Bytes)]
    ) throws(Finding) {
        var fields = Fields()
        for (name, value) in headers { fields.append(name.lowercasedASCII, value.trimmed) }
        let request = Request(method: method, target: target, headers: fields)
        try requireEqual(request.bucket, original.bucket, "the client's bucket comes as another")
        try requireEqual(request.key, original.key, "the client's key comes as another")
        let keys = AccessKeys(identifier: Bytes("id"), secret: Bytes("secret"), securityToken: nil)
        // 2026-09-21T14:13:20Z, when the client has signed.
        let context = SignatureContext(keys: keys, region: Bytes("cn-hangzhou"), now: 1_790_000_000)
        do throws(ServiceError) {
            try SignatureChecker.check(request, context)
        } catch {
            throw Finding(
                "the client's signature doesn't hold: \(error.details.map { ($0.name, $0.value.text ?? "") })")
        }
    }

    private static func examineTarget(_ request: Request) throws(Finding) {
        try require(!request.bucket.contains(0x2F) || request.isVirtualHosted, "a bucket with a slash")
        if !request.isVirtualHosted, request.path.first == 0x2F, !request.bucket.isEmpty {
            let path = [0x2F] + request.bucket + [0x2F] + request.key
            try require(path == request.path || path == request.path + [0x2F], "a path is lost in bucket and key")
        }
        let (route, unknown) = Router.route(request)
        try require(route != nil || !unknown.isEmpty, "no reason is given for a request that has no route")
        if let route { try require(route.method == request.method, "a route of another method") }
    }

    private static func examineValue(_ value: Bytes) throws(Finding) {
        let text = PercentCoding.encode(value)
        try requireEqual(PercentCoding.decode(text), value, "percent-encoding changes a value")
        try requireEqual(PercentCoding.decode(text, plusIsSpace: true), value, "percent-encoding changes a plus")
        if let moment = Dates.fromHeader(value) {
            try requireEqual(Dates.fromHeader(Dates.header(moment)), moment, "a header's date is another one")
        }
        if let moment = Dates.fromSigning(value) {
            let again = Dates.xml(moment).filter { $0 != 0x2D && $0 != 0x3A }
            try requireEqual(Bytes(again.prefix(15)), Bytes(value.prefix(15)), "a signature's date is another one")
        }
        for size in [0, 1, 1000, UInt64(Int64.max)] {
            for isStandard in [false, true] { try examineRange(value, size, isStandard) }
        }
        if let source = try? CopyObject.source(value) {
            try require(!source.bucket.isEmpty && !source.bucket.contains(0x2F), "a copy from no bucket")
            let path = [0x2F] + source.bucket + [0x2F] + source.key
            var text = PercentCoding.encode(path, keepsSlash: true)
            if let version = source.version { text += Bytes("?versionId=") + PercentCoding.encode(version) }
            let again = try? CopyObject.source(text)
            try require(
                again?.bucket == source.bucket && again?.key == source.key && again?.version == source.version,
                "a copy's source is another one")
        }
        if let after = ListingQuery.After(token: value) {
            try requireEqual(ListingQuery.After(token: after.token)?.bytes, after.bytes, "a listing goes on elsewhere")
        }
        if let bytes = Digests.fromBase64(value) {
            try requireEqual(Digests.fromBase64(Digests.base64(bytes)), bytes, "base64 changes a value")
        }
    }

    private static func examineRange(_ value: Bytes, _ size: UInt64, _ isStandard: Bool) throws(Finding) {
        switch ByteRange.resolve(value, size: size, isStandard: isStandard) {
        case .whole: return
        case .unsatisfiable: try require(isStandard, "416 without being asked for it")
        case .part(let offset, let length):
            try require(length > 0 && offset < size && length <= size - offset, "\(offset)+\(length) of \(size)")
            let text = Bytes("bytes=\(offset)-\(offset + length - 1)".utf8)
            let again = ByteRange.resolve(text, size: size, isStandard: isStandard)
            try requireEqual(again, .part(offset: offset, length: length), "a range is another one")
        }
    }

    private static func examineDocument(_ body: Bytes) throws(Finding) {
        try examineTexts(body)
        if let order = try? DeleteOperations.Order(body) {
            for item in order.items {
                try require(XMLText.canCarry(item.key), "a key that no document can carry: \(item.key)")
            }
        }
        if let list = try? CompleteUpload.PartList(body) {
            for part in list.parts { try require(part.number >= 0, "part \(part.number)") }
        }
        if let tags = try? TaggingOperations.Tags(body) {
            try require(tags.encoded.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "tags that no header can carry")
        }
    }

    // Each text is one that XML can carry, and nothing follows the root.
    private static func examineTexts(_ body: Bytes) throws(Finding) {
        var reader = XMLReader(body)
        var events: [XMLEvent] = []
        do throws(MalformedXML) {
            while let event = try reader.next() { events.append(event) }
        } catch {
            return
        }
        var depth = 0
        var roots = 0
        for event in events {
            switch event {
            case .start:
                if depth == 0 { roots += 1 }
                depth += 1
            case .end: depth -= 1
            case .text(let text):
                try require(XMLText.canCarry(text), "text that no document can carry: \(text)")
                try require(depth > 0, "text outside of the root")
            }
            try require(depth >= 0, "an element ends that didn't begin")
        }
        try require(depth == 0, "a whole document leaves elements open")
        try require(roots <= 1, "a document with \(roots) roots")
    }
}
