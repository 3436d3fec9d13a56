import Foundation
import Testing

@testable import ObjectServer

/// Requests answered without a connection.
@Suite final class ExchangeTests {
    private let path: String
    private let parts: ServerParts

    init() throws {
        path = NSTemporaryDirectory() + "/exchange-" + UUID().uuidString
        let keys = AccessKeys(identifier: Bytes("id"), secret: Bytes("secret"), securityToken: nil)
        let folder = try ObjectFolder(path: path, buckets: [Bytes("photos")])
        let service = Service(folder: folder, region: Bytes("cn-hangzhou"), tokens: TokenIssuer(account: keys))
        parts = ServerParts(service: service, keys: keys, log: .silent)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func reply(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: String = ""
    ) throws
        -> Reply
    {
        var fields = Fields()
        for (name, value) in headers { fields.append(Bytes(name.utf8), Bytes(value.utf8)) }
        fields.append("host", Bytes("localhost"))
        fields.append("content-length", Bytes(String(body.utf8.count).utf8))
        let date = Dates.header(parts.service.clock.now)
        fields.append("date", date)
        let request = Request(method: Bytes(method.utf8), target: Bytes(target.utf8), headers: fields)
        let text = SignatureV1.stringToSign(request, date: date)
        fields.append("authorization", Bytes("OSS id:") + SignatureV1.signature(text, parts.keys))
        let exchange = Exchange(parts, target: Bytes(target.utf8))
        defer { exchange.end() }
        var outcome = exchange.begin(method: Bytes(method.utf8), headers: fields, socket: -1, isLoopback: true)
        if case .proceed = outcome {
            if !body.isEmpty { _ = Bytes(body.utf8).withUnsafeBytes { exchange.receive($0) } }
            outcome = exchange.finish()
        }
        guard case .answer(let reply) = outcome else { throw CancellationError() }
        reply.discard()
        return reply
    }

    private func document(_ reply: Reply) -> Bytes {
        if case .bytes(let bytes) = reply.body { bytes } else { [] }
    }

    @Test("the clock's shift is refused when it is more than a century, whatever the number")
    func clock() throws {
        for seconds in [Int.min, Int.min + 1, Int.max, -3_155_760_001] {
            #expect(try reply("POST", "/-/clock", body: "{\"offset_seconds\":\(seconds)}").status == 400)
        }
        #expect(try reply("POST", "/-/clock", body: "{\"offset_seconds\":-3155760000}").status == 200)
    }

    @Test("what XML can't carry stands percent-encoded in a reply, wherever it comes from")
    func uncarriable() throws {
        #expect(try reply("PUT", "/photos/a", ["x-oss-tagging": "k%00=v%01"], body: "x").status == 200)
        let targets = ["/photos/a?tagging", "/?prefix=a%00&marker=%01", "/photos/?versions&version-id-marker=%02"]
        for target in targets {
            let document = document(try reply("GET", target))
            #expect(!document.isEmpty)
            #expect(XMLText.canCarry(document), "\(target): \(document.text ?? "")")
        }
        #expect(document(try reply("GET", "/photos/a?tagging")).text?.contains("<Key>k%00</Key>") == true)
    }

    @Test(
        "a header of the reply that would hold control characters is refused", arguments: ["%0d%0aX:y", "a%00", "%7f"])
    func headers(value: String) throws {
        #expect(try reply("PUT", "/photos/a", body: "x").status == 200)
        #expect(try reply("GET", "/photos/a?response-content-type=\(value)").status == 400)
        #expect(try reply("GET", "/photos/a?response-content-type=a%20b").status == 200)
    }
}
