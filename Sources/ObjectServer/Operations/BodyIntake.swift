/// A body on its way from a request to a file: checked by the head, streamed, measured. Of one thread.
final class BodyIntake {
    /// What came.
    struct Outcome {
        let pieces: [Piece]
        let size: UInt64
        let crc: UInt64
        /// Where it was taken.
        let md5: Bytes?
    }

    private let writer: BodyWriter
    private let expectedMD5: Bytes?
    private let limit: UInt64

    /// Refuses what the head tells already, so that a body that would be refused isn't waited for.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are taken.
    ///   - takesMD5: whether small bodies are digested; one that a Content-MD5 came with always is.
    init(_ request: Request, _ service: Service, limit: UInt64, takesMD5: Bool) throws {
        self.limit = limit
        let length = try Self.announcedLength(request)
        guard (length ?? 0) <= limit else { throw ServiceError.entityTooLarge }
        expectedMD5 = request.headers["content-md5"]
        if let expectedMD5 {
            guard expectedMD5.count == 24, Digests.fromBase64(expectedMD5)?.count == 16 else {
                throw ServiceError.invalidDigest
            }
        }
        writer = BodyWriter(
            service.folder.bodies, service.folder.newBody(), expectedBytes: takesMD5 ? length : .max,
            alwaysDigests: expectedMD5 != nil)
    }

    /// The length that the client announces; nil for a chunked body.
    private static func announcedLength(_ request: Request) throws(ServiceError) -> UInt64? {
        if let text = request.headers["content-length"], let length = text.decimal { return length }
        if request.headers.contains("transfer-encoding") { return nil }
        throw ServiceError(
            411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        guard writer.size + UInt64(bytes.count) <= limit else { throw ServiceError.entityTooLarge }
        try writer.write(bytes)
    }

    /// Ends the file and checks its digest; whoever throws the outcome away calls `abandon`.
    func finish() throws -> Outcome {
        let (body, md5) = writer.finish()
        if let expectedMD5, md5.map(Digests.base64) != expectedMD5 {
            abandon()
            throw ServiceError.invalidDigest
        }
        return Outcome(pieces: [Piece](body, length: writer.size), size: writer.size, crc: writer.crc, md5: md5)
    }

    /// Takes the file away again.
    func abandon() { writer.abandon() }
}
