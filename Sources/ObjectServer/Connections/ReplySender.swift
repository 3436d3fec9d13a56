import CMicroHTTPD

/// Hands replies to the HTTP library.
enum ReplySender {
    /// How the body is to go.
    struct Manner {
        var pacer: Pacer?
        var breakAfter: UInt64?
    }

    /// What a paced body is read in; larger pieces would only wait longer between.
    private static let blockBytes = 64 * 1024

    /// Queues `reply` on the connection; false closes it.
    static func send(
        _ reply: Reply, _ manner: Manner, on connection: OpaquePointer, waits: Waits, counters: Counters
    ) -> Bool {
        guard let response = response(reply, manner, connection, waits, counters) else { return false }
        defer { MHD_destroy_response(response) }
        for header in reply.headers.all { add(header, to: response) }
        return MHD_queue_response(connection, UInt32(reply.status), response) == .YES
    }

    /// The library refuses empty values; a blank is the same by HTTP's rules.
    private static func add(_ header: Fields.Field, to response: OpaquePointer) {
        let value = header.value.isEmpty ? [0x20] : header.value
        (header.name + [0]).withUnsafeBytes { name in
            (value + [0]).withUnsafeBytes { value in
                _ = MHD_add_response_header(
                    response, name.bindMemory(to: CChar.self).baseAddress,
                    value.bindMemory(to: CChar.self).baseAddress)
            }
        }
    }

    private static func response(
        _ reply: Reply, _ manner: Manner, _ connection: OpaquePointer, _ waits: Waits, _ counters: Counters
    ) -> OpaquePointer? {
        let isPaced = (manner.pacer != nil || manner.breakAfter != nil) && reply.body.length > 0
        switch reply.body {
        case .none:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .lengthOnly(let length):
            return MHD_create_response_from_callback(length, 1, { _, _, _, _ in -1 }, nil, nil)
        case .bytes(let bytes) where !isPaced:
            counters.moved(bytesOut: UInt64(bytes.count))
            return bytes.withUnsafeBytes { source in
                // The library copies it; its parameter lacks a const.
                MHD_create_response_from_buffer(
                    source.count, UnsafeMutableRawPointer(mutating: source.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .file(let descriptor, let offset, let length) where !isPaced:
            counters.moved(bytesOut: length)
            return MHD_create_response_from_fd_at_offset64(length, descriptor, offset)
        case .bytes, .file, .pieces:
            let body = PacedBody(
                reply.body, pacer: manner.pacer, breakAfter: manner.breakAfter, waits: waits, counters: counters,
                socket: cmicrohttpd_socket(connection))
            return paced(body, length: reply.body.length)
        }
    }

    /// The library owns `body` from here and releases it with the response.
    private static func paced(_ body: PacedBody, length: UInt64) -> OpaquePointer? {
        MHD_create_response_from_callback(
            length, blockBytes,
            { context, position, buffer, maximum in
                guard let context, let buffer else { return -2 }
                let body = Unmanaged<PacedBody>.fromOpaque(context).takeUnretainedValue()
                return body.read(
                    at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: maximum))
            }, Unmanaged.passRetained(body).toOpaque(),
            { context in
                if let context { Unmanaged<PacedBody>.fromOpaque(context).release() }
            })
    }
}
