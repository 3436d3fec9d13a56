import Encoding
import HTTPTransport
import Runtime

/// Where fresh credentials come from; asked by `RefreshingCredentialsProvider`, one call at a time.
package protocol CredentialsSource: Sendable {
    /// Other credentials than the last; blocks, at most until `deadline`.
    func fetch(deadline: Deadline) throws(CredentialsError) -> Credentials
}

/// An auth server: a GET of a URL with headers of the user's own, whose reply is JSON, or becomes it by a command.
package struct AuthServerSource: CredentialsSource {
    package struct Configuration: Sendable {
        package var url: [UInt8]
        /// A private file of request headers, `Name: value` a line; read again for each request. Nil for none.
        package var headersFile: [UInt8]?
        /// The command that turns the reply's bytes into JSON, without a shell; nil for replies that are JSON.
        package var decoder: [[UInt8]]?
        package var userAgent = "ossmount"
        /// For the request, and for the decoder.
        package var timeout = Duration.seconds(10)

        package init(url: [UInt8]) { self.url = url }
    }

    /// 64 KiB: tokens have some KiB.
    private static let maximumBytes = 64 * 1024

    private let configuration: Configuration
    private let transport: any HTTPExchanging

    package init(_ configuration: Configuration, transport: any HTTPExchanging) {
        self.configuration = configuration
        self.transport = transport
    }

    package func fetch(deadline: Deadline) throws(CredentialsError) -> Credentials {
        let headers = try headers()
        let (status, reply) = try answer(headers, min(deadline, .after(configuration.timeout)))
        do throws(CredentialsError) {
            guard status == 200 else { throw Self.refusal(status, reply) }
            return try AuthServerReply.credentials(decoded(reply, deadline))
        } catch {
            // A server may repeat what it was sent, and its words go into logs.
            throw CredentialsError(kind: error.kind, message: Self.without(headers, error.message))
        }
    }

    /// What can be checked without the network: the headers' file.
    package func check() throws(CredentialsError) { _ = try headers() }

    private func headers() throws(CredentialsError) -> [HTTPHeader] {
        guard let path = configuration.headersFile else { return [] }
        return try Self.parse(PrivateFile.read(path, role: "headers file"), named: path)
    }

    /// The headers in such a file; errors name the line and nothing of what is in it.
    package static func parse(_ bytes: [UInt8], named path: [UInt8]) throws(CredentialsError) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        for line in PrivateFile.lines(of: bytes) {
            let colon = line.text.firstIndex(of: UInt8(ascii: ":")) ?? line.text.startIndex
            let name = PrivateFile.withoutBlanks(line.text[..<colon])
            let value = PrivateFile.withoutBlanks(line.text[colon...].dropFirst())
            guard !name.isEmpty, name.allSatisfy(isNameByte),
                value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
                let text = String(validating: name, as: UTF8.self)
            else {
                throw CredentialsError(
                    kind: .malformed,
                    message: "line \(line.number) of the headers file \(printable(path)) is not like Name: value")
            }
            headers.append(HTTPHeader(text, value))
        }
        return headers
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private func answer(
        _ headers: [HTTPHeader], _ deadline: Deadline
    ) throws(CredentialsError) -> (status: Int, body: [UInt8]) {
        let reply = BoundedReply(maximumBytes: Self.maximumBytes)
        let own = [HTTPHeader("User-Agent", configuration.userAgent), HTTPHeader("Accept", "*/*")]
            .filter { header in !headers.contains { $0.name.lowercased() == header.name.lowercased() } }
        let request = HTTPRequest(method: "GET", url: configuration.url, headers: own + headers)
        do throws(TransportError) {
            try transport.perform(request, into: reply, deadline: deadline, cancellation: nil)
        } catch {
            if reply.isTooLarge {
                throw CredentialsError(kind: .malformed, message: "the auth server's reply is larger than 64 KiB")
            }
            let kind: CredentialsError.Kind = error.kind == .invalidRequest ? .malformed : .unavailable
            throw CredentialsError(kind: kind, message: "the auth server can't be asked: \(error.message)")
        }
        return (reply.status, reply.body)
    }

    private static func refusal(_ status: Int, _ body: [UInt8]) -> CredentialsError {
        let isPassing = status >= 500 || status == 429 || status == 408
        let told = AuthServerReply.words(body).map { ", \($0)" } ?? ""
        return CredentialsError(
            kind: isPassing ? .unavailable : .refused,
            message: "the auth server gives no keys (HTTP status \(status)\(told))")
    }

    private func decoded(_ reply: [UInt8], _ deadline: Deadline) throws(CredentialsError) -> [UInt8] {
        guard let command = configuration.decoder else { return reply }
        do throws(FilterError) {
            return try FilterCommand.run(
                command, input: reply, maximumBytes: Self.maximumBytes,
                deadline: min(deadline, .after(configuration.timeout)))
        } catch {
            let name = "the decoder command \(printable(command.first ?? []))"
            switch error {
            case .notStarted(let number):
                throw CredentialsError(kind: .malformed, message: "\(name) can't be run: \(systemText(number))")
            case .timedOut: throw CredentialsError(kind: .unavailable, message: "\(name) didn't end in time")
            case .tooLarge: throw CredentialsError(kind: .malformed, message: "\(name) writes more than 64 KiB")
            case .failed(let status):
                throw CredentialsError(kind: .unavailable, message: "\(name) ended with status \(status)")
            }
        }
    }

    /// `text` with `***` for each header's value in it.
    private static func without(_ headers: [HTTPHeader], _ text: String) -> String {
        var bytes = Array(text.utf8)
        for header in headers {
            // What comes after a word like Bearer is the secret itself. Short words are no secrets: web, 1.0.
            for secret in [header.value] + header.value.split(separator: 0x20).map(Array.init) where secret.count >= 6 {
                while let range = bytes.firstRange(of: secret) {
                    bytes.replaceSubrange(range, with: Array("***".utf8))
                }
            }
        }
        return printable(bytes)
    }
}

/// A reply of bounded size.
private final class BoundedReply: HTTPResponseReceiver, @unchecked Sendable {
    // Unchecked: the transport calls one after the other, and the caller looks only once the exchange has ended.
    private(set) var status = 0
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false
    private let maximumBytes: Int

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    func begin(_ head: HTTPResponseHead) {
        status = head.status
        body.removeAll()
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= maximumBytes else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }
}
