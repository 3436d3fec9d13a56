import CCurl
import Glibc

/// The sockets that libcurl has open, and whose they are; belongs to the multi thread.
///
/// libcurl names an exchange's socket only once the exchange is over, so it is found by the addresses of its ends.
final class OpenSockets {
    /// By socket: its local port, 0 while unknown.
    private var ports: [Int32: Int] = [:]
    /// Exchanges that send over a socket, to be asked when it is closed.
    private var senders: [Int32: Exchange] = [:]
    private let watch: UnsafeMutablePointer<ccurl_socket_watch>

    init() {
        watch = .allocate(capacity: 1)
        watch.initialize(to: ccurl_socket_watch())
        watch.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        watch.pointee.opened = { context, socket in
            guard let context else { return }
            Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().ports[socket] = 0
        }
    }

    deinit { watch.deallocate() }

    /// Lets the handle tell this object of its sockets.
    func watch(_ easy: UnsafeMutableRawPointer) -> CURLcode {
        ccurl_watch_sockets(easy, watch) { context, socket in
            guard let context else { return close(socket) }
            return Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().closeSocket(socket)
        }
    }

    /// The socket that `easy` uses now; nil where it has none.
    func socket(of easy: UnsafeMutableRawPointer) -> Int32? {
        let port = ccurl_get_long(easy, CURLINFO_LOCAL_PORT)
        guard port > 0 else { return nil }
        for (socket, known) in ports where known == 0 { ports[socket] = Int(ccurl_socket_local_port(socket)) }
        return ports.first { $0.value == port && ccurl_socket_is_of($0.key, easy) }?.key
    }

    /// Notes that `exchange` is about to send its body over `socket`.
    func note(_ exchange: Exchange, sendsOver socket: Int32) { senders[socket] = exchange }

    /// Forgets `exchange`, which has ended.
    func forget(_ exchange: Exchange) {
        guard exchange.request.body != nil else { return }
        for (socket, sender) in senders where sender === exchange { senders[socket] = nil }
    }

    /// Makes the close of a socket a reset.
    ///
    /// What was given up must not take effect later: an orderly close goes on delivering what the kernel still holds of a
    /// request, and a server that hung would find it whole when it wakes, after the same object has been changed anew.
    static func resetAtClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func closeSocket(_ socket: Int32) -> Int32 {
        ports[socket] = nil
        senders.removeValue(forKey: socket)?.readRemains(of: socket)
        return close(socket)
    }
}
