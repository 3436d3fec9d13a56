/// `x-oss-process`: pictures and the like made out of objects. Nothing is made here, as that takes a library for
/// pictures, and a made-up picture would pass tests that the real one fails; but what the service refuses is refused
/// with its codes, and what it would do gets NotImplemented (501).
///
/// Codes: https://www.alibabacloud.com/help/en/oss/user-guide/common-errors.
enum ProcessObject {
    static let routes = [
        Route("GET", .object, query: ["x-oss-process"], takesVersion: true, .processObject) { request, service in
            .reply(try process(request, service))
        },
        Route("GET", .object, query: ["x-oss-process", "x-oss-ac-source-ip"], .processObject) { request, service in
            .reply(try process(request, service))
        },
    ]

    /// The longest picture that is worked on.
    private static let longestSourceBytes: UInt64 = 20 << 20

    private static let pictureActions: Set<Bytes> = Set(
        """
        resize watermark crop quality format info auto-orient circle indexcrop rounded-corners blur rotate interlace \
        average-hue bright sharpen contrast blindwatermark
        """.split(separator: " ").map { Bytes($0.utf8) })

    private static func process(_ request: Request, _ service: Service) throws -> Reply {
        let (object, reader) = try ObjectLookup.opened(request, service)
        try GetObject.checkClass(object, now: service.clock.now)
        let order = request.query["x-oss-process"] ?? []
        let steps = order.split(separator: 0x2F, omittingEmptySubsequences: false).map { Bytes($0) }
        let kind = steps.first ?? []
        if kind.isEqual(to: "style") { throw noSuchStyle(steps.count > 1 ? steps[1] : []) }
        // Other services work behind the same parameter, and their list grows: which words are none isn't known.
        guard kind.isEqual(to: "image") else { throw ServiceError.notImplemented(Bytes("x-oss-process")) }
        guard steps.count > 1, !steps[1].isEmpty else {
            throw ServiceError(400, "MissingArgument", "Missing Some Required Arguments.")
        }
        for step in steps.dropFirst() {
            let action = Bytes(step.prefix { $0 != 0x2C })
            guard pictureActions.contains(action) else {
                throw ServiceError.invalidArgument("Unsupported operation.", name: "x-oss-process", value: action)
            }
        }
        guard object.size <= longestSourceBytes else {
            throw ServiceError(400, "ImageTooLarge", "The image file is too large.")
        }
        guard try PictureKind.isKnown(reader, size: object.size) else {
            throw ServiceError(400, "BadRequest", "This image format is not supported.")
        }
        throw ServiceError.notImplemented(Bytes("x-oss-process"))
    }

    /// No style can be made here, so none is there.
    private static func noSuchStyle(_ name: Bytes) -> ServiceError {
        ServiceError(
            404, "NoSuchStyle", "The specified style does not exist.", details: [.init(name: "StyleName", value: name)])
    }
}

/// Tells pictures of the kinds that OSS works on by their first bytes.
private enum PictureKind {
    private static let starts: [(offset: Int, bytes: Bytes)] = [
        (0, [0xFF, 0xD8, 0xFF]), (0, [0x89] + Bytes("PNG")), (0, Bytes("GIF8")), (0, Bytes("BM")),
        (8, Bytes("WEBP")), (0, Bytes("II") + [0x2A, 0]), (0, Bytes("MM") + [0, 0x2A]),
        // HEIC and AVIF.
        (4, Bytes("ftyp")),
    ]

    static func isKnown(_ reader: PieceReader, size: UInt64) throws -> Bool {
        var head = Bytes(repeating: 0, count: Int(min(size, 16)))
        var done = 0
        while done < head.count {
            let moved = try head.withUnsafeMutableBytes { buffer in
                try reader.read(at: UInt64(done), into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            }
            guard moved > 0 else { return false }
            done += moved
        }
        return starts.contains { head.dropFirst($0.offset).starts(with: $0.bytes) }
    }
}
