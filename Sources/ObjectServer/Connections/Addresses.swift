import Glibc

/// Where the server listens: a numeric address and a port, 0 for one that the system picks.
package struct ListenAddress: Equatable, Sendable {
    /// Without brackets; IPv4 or IPv6.
    package let host: String
    package let port: UInt16

    /// From `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        var (four, six) = (in_addr(), in6_addr())
        guard inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1 else { return nil }
        self.host = host
        self.port = port
    }

    var isIPv6: Bool { host.contains(":") }

    /// True if only this machine can reach it.
    package var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

    /// The address as a URL names it.
    func url(port: UInt16, isSecure: Bool) -> String {
        (isSecure ? "https://" : "http://") + (isIPv6 ? "[\(host)]" : host) + ":\(port)"
    }
}

/// A socket that waits for connections.
enum ListeningSocket {
    /// How many connections may wait to be taken: more than any test opens at once.
    private static let backlog: Int32 = 4096

    /// The socket, owned by the caller, and the port that it has; throws errno in a StorageError.
    static func open(_ address: ListenAddress) throws(StorageError) -> (descriptor: Int32, port: UInt16) {
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw StorageError(action: "make a socket", number: errno) }
        // A server started anew takes its port at once, though old connections linger.
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address), listen(descriptor, backlog) == 0, let port = port(of: descriptor) else {
            let number = errno
            close(descriptor)
            throw StorageError(action: "listen", number: number)
        }
        return (descriptor, port)
    }

    private static func bind(_ descriptor: Int32, _ address: ListenAddress) -> Bool {
        if address.isIPv6 {
            var bound = sockaddr_in6()
            bound.sin6_family = sa_family_t(AF_INET6)
            bound.sin6_port = address.port.bigEndian
            inet_pton(AF_INET6, address.host, &bound.sin6_addr)
            return withUnsafeBytes(of: &bound) { bind(descriptor, $0) }
        }
        var bound = sockaddr_in()
        bound.sin_family = sa_family_t(AF_INET)
        bound.sin_port = address.port.bigEndian
        inet_pton(AF_INET, address.host, &bound.sin_addr)
        return withUnsafeBytes(of: &bound) { bind(descriptor, $0) }
    }

    private static func bind(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return Glibc.bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes -> UInt16? in
            guard let start = bytes.baseAddress,
                getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            // The port stands at the same place in both families.
            return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }
}

/// Who is at the other end.
enum PeerAddress {
    /// True for 127.0.0.0/8, ::1, and the former written as IPv6.
    static func isLoopback(_ address: UnsafePointer<sockaddr>?) -> Bool {
        guard let address else { return false }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return UnsafeRawPointer(address).load(fromByteOffset: 4, as: UInt8.self) == 127
        case AF_INET6:
            let bytes = Bytes(UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + 8, count: 16))
            let isMapped = bytes.starts(with: Bytes(repeating: 0, count: 10) + [0xFF, 0xFF, 127])
            return isMapped || bytes == Bytes(repeating: 0, count: 15) + [1]
        default: return false
        }
    }
}
