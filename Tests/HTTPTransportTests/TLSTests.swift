import Foundation
import Glibc
import Runtime
import Testing

@testable import HTTPTransport

/// TLS against `openssl s_server` with certificates made here.
@Suite struct TLSTests {
    @Test("the right CA file gives an answer, and a second exchange resumes or reuses") func rightAuthority() throws {
        let authority = try TestAuthority()
        let server = try TLSServer(authority.certificate(name: "localhost"))
        let transport = CurlTransport(authority.configuration)
        defer { transport.stop() }
        for _ in 0..<2 {
            let collector = try transport.answer("GET", server.url("localhost"))
            #expect(collector.status == 200)
            #expect(collector.text.contains("TLSv1.3"))
        }
    }

    @Test("an unknown CA is refused, with the option that mends it") func unknownAuthority() throws {
        let authority = try TestAuthority()
        let server = try TLSServer(authority.certificate(name: "localhost"))
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        let error = try transport.failure("GET", server.url("localhost"))
        #expect(error.kind == .tlsFailed)
        #expect(!error.mayHaveReachedServer)
        #expect(error.message.contains("localhost:\(server.port)") && error.message.contains("ca-file"))
    }

    @Test("with a CA file the system's authorities and others of that name count no more") func otherAuthority() throws
    {
        let server = try TLSServer(try TestAuthority().certificate(name: "localhost"))
        let transport = CurlTransport(try TestAuthority().configuration)
        defer { transport.stop() }
        #expect(try transport.failure("GET", server.url("localhost")).kind == .tlsFailed)
    }

    @Test("a certificate for another name is refused") func wrongName() throws {
        let authority = try TestAuthority()
        let server = try TLSServer(authority.certificate(name: "elsewhere.example"))
        let transport = CurlTransport(authority.configuration)
        defer { transport.stop() }
        #expect(try transport.failure("GET", server.url("localhost")).kind == .tlsFailed)
    }

    @Test("an expired certificate is refused and said to be expired") func expired() throws {
        let authority = try TestAuthority()
        let server = try TLSServer(authority.certificate(name: "localhost", days: -1))
        let transport = CurlTransport(authority.configuration)
        defer { transport.stop() }
        let error = try transport.failure("GET", server.url("localhost"))
        #expect(error.kind == .tlsFailed)
        #expect(error.message.contains("expired"))
    }

    @Test("a CA file that isn't there is a TLS error that names the option") func missingAuthority() throws {
        var configuration = CurlTransport.Configuration.test()
        configuration.caFile = Array("/nowhere/ca.pem".utf8)
        let transport = CurlTransport(configuration)
        defer { transport.stop() }
        let server = try ScriptedServer { $0.drain() }
        let error = try transport.failure("GET", Array("https://127.0.0.1:\(server.port)/".utf8))
        #expect(error.kind == .tlsFailed)
        #expect(error.message.contains("ca-file"))
    }

    @Test("a server that doesn't speak TLS fails TLS; one that closes amid the handshake lost the connection")
    func noTLS() throws {
        let plain = try ScriptedServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.finish()
        }
        let closing = try ScriptedServer { $0.closeAfterNextByte() }
        let transport = CurlTransport(.test())
        defer { transport.stop() }
        #expect(try transport.failure("GET", Array("https://127.0.0.1:\(plain.port)/".utf8)).kind == .tlsFailed)
        let error = try transport.failure("PUT", Array("https://127.0.0.1:\(closing.port)/".utf8))
        #expect(error.kind == .connectionLost)
        #expect(!error.mayHaveReachedServer)
    }
}

/// A certificate authority in a folder that goes with it.
private final class TestAuthority {
    struct Certificate {
        let file: String
        let keyFile: String
        /// Keeps the folder.
        let authority: TestAuthority
    }

    struct Failure: Error {}

    private let folder: URL
    private let caFile: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("transport-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        caFile = folder.appendingPathComponent("ca.pem").path
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=Test CA", "-keyout", path("ca.key"), "-out", caFile,
        ])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// What trusts this authority.
    var configuration: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration.test()
        configuration.caFile = Array(caFile.utf8)
        return configuration
    }

    /// A server's certificate for `name`, valid for `days` from now; with -1 it has expired.
    func certificate(name: String, days: Int = 2) throws -> Certificate {
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", path("server.key"), "-out", path("server.csr"),
        ])
        try Data("subjectAltName=DNS:\(name)\n".utf8).write(to: URL(fileURLWithPath: path("extensions")))
        try openssl([
            "x509", "-req", "-in", path("server.csr"), "-CA", caFile, "-CAkey", path("ca.key"), "-CAcreateserial",
            "-days", "\(days)", "-extfile", path("extensions"), "-out", path("server.pem"),
        ])
        return Certificate(file: path("server.pem"), keyFile: path("server.key"), authority: self)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
    }
}

/// `openssl s_server -www`, which answers each GET with a page about the session.
private final class TLSServer {
    let port: UInt16
    private let process = Process()
    private let certificate: TestAuthority.Certificate

    init(_ certificate: TestAuthority.Certificate) throws {
        self.certificate = certificate
        // A port that was free a moment ago: s_server prints its own only to a terminal.
        let (listener, address) = try ScriptedServer.listen(backlog: 1)
        port = UInt16(bigEndian: address.sin_port)
        close(listener)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate.file, "-key", certificate.keyFile, "-www",
            "-quiet",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard eventually({ isListening }) else { throw TestAuthority.Failure() }
    }

    deinit {
        // Children of a test's thread are born with SIGTERM blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func url(_ host: String) -> [UInt8] { Array("https://\(host):\(port)/".utf8) }

    private var isListening: Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
