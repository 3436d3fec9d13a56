import CMicroHTTPD
import Glibc

/// The HTTP library at work: a thread for each connection, which an `Exchange` may block.
///
/// The library unescapes paths before it hands them on, so that `%2F` and `/` can't be told apart: the request target
/// is taken raw from the callback that comes first, and the library's own reading of it is ignored.
final class HTTPDaemon {
    private static let connectionLimit: UInt32 = 8192
    /// Half of it is one piece of a body: 128 KiB keeps the count of calls low. It takes no memory until touched.
    private static let connectionMemoryBytes = 256 * 1024
    /// SQLite and the deepest of our calls need a quarter of it.
    private static let stackBytes = 256 * 1024

    private let daemon: OpaquePointer
    private let context: Context

    /// What the callbacks get; alive as long as the daemon.
    private final class Context: Sendable {
        let parts: ServerParts
        init(_ parts: ServerParts) { self.parts = parts }
    }

    /// Serves on `listener`, which becomes the daemon's, until `stop`; nil where the library refuses, for example a
    /// key that doesn't fit its certificate. PEM texts end in a zero byte.
    init?(_ parts: ServerParts, listener: Int32, certificate: Bytes?, certificateKey: Bytes?) {
        let context = Context(parts)
        self.context = context
        func start(_ certificate: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
            var settings = Self.settings
            settings.listen_socket = listener
            settings.certificate = certificate
            settings.certificate_key = key
            settings.context = Unmanaged.passUnretained(context).toOpaque()
            return cmicrohttpd_start(&settings)
        }
        let started: OpaquePointer?
        if let certificate, let certificateKey {
            // The library has read both when it returns.
            started = certificate.withUnsafeBytes { certificate in
                certificateKey.withUnsafeBytes { key in
                    start(
                        certificate.bindMemory(to: CChar.self).baseAddress,
                        key.bindMemory(to: CChar.self).baseAddress)
                }
            }
        } else {
            started = start(nil, nil)
        }
        guard let started else { return nil }
        daemon = started
    }

    /// Closes all connections and waits for their threads; those that a fault or a latency blocks must have been let
    /// go.
    func stop() { MHD_stop_daemon(daemon) }

    private static var settings: cmicrohttpd_settings {
        var settings = cmicrohttpd_settings()
        settings.connection_limit = connectionLimit
        settings.connection_memory_bytes = connectionMemoryBytes
        settings.stack_bytes = stackBytes
        settings.begin = { context, target, _ in
            guard let context, let target else { return nil }
            let parts = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().parts
            let bytes = Bytes(UnsafeRawBufferPointer(start: target, count: strlen(target)))
            return Unmanaged.passRetained(Exchange(parts, target: bytes)).toOpaque()
        }
        settings.handle = { context, connection, _, method, _, data, size, request in
            guard let context, let connection, let size, let pointer = request?.pointee else { return .NO }
            let parts = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().parts
            let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
            let isGoingOn = HTTPDaemon.advance(exchange, parts, connection, method, data, size)
            return isGoingOn ? .YES : .NO
        }
        settings.complete = { _, _, request, _ in
            guard let pointer = request?.pointee else { return }
            let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
            request?.pointee = nil
            exchange.end()
        }
        settings.connection_changed = { context, _, _, change in
            guard let context else { return }
            let parts = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().parts
            parts.counters.connectionsChanged(by: change == .CONNECTION_NOTIFY_STARTED ? 1 : -1)
        }
        return settings
    }

    /// One call of the library's handler: the head, a piece of the body, or the end.
    private static func advance(
        _ exchange: Exchange, _ parts: ServerParts, _ connection: OpaquePointer, _ method: UnsafePointer<CChar>?,
        _ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>
    ) -> Bool {
        let outcome: Exchange.Outcome
        if !exchange.hasBegun {
            let method = method.map { Bytes(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
            outcome = exchange.begin(
                method: method, headers: headers(of: connection), socket: cmicrohttpd_socket(connection),
                isLoopback: PeerAddress.isLoopback(cmicrohttpd_peer(connection)))
        } else if size.pointee > 0 {
            let isGoingOn = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
            size.pointee = 0
            return isGoingOn
        } else {
            outcome = exchange.finish()
        }
        switch outcome {
        case .proceed: return true
        case .drop: return false
        case .answer(let reply):
            return ReplySender.send(
                reply, exchange.manner, on: connection, waits: parts.waits, counters: parts.counters)
        }
    }

    private static func headers(of connection: OpaquePointer) -> Fields {
        var fields = Fields()
        withUnsafeMutablePointer(to: &fields) { fields in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameLength, value, valueLength in
                    guard let name else { return .YES }
                    let fields = context?.assumingMemoryBound(to: Fields.self)
                    let value = value.map { Bytes(UnsafeRawBufferPointer(start: $0, count: valueLength)) } ?? []
                    fields?.pointee.append(
                        Bytes(UnsafeRawBufferPointer(start: name, count: nameLength)).lowercasedASCII, value.trimmed)
                    return .YES
                }, fields)
        }
        return fields
    }
}
