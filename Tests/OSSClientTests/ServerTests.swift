import Credentials
import HTTPTransport
import Instrumentation
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import OSSClient

/// The client over libcurl against the embedded server, which shares no code with it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ServerTests {
    /// A server of this test's own and a client on it; all of it ends with `body`.
    private func withClient(
        bucket: String = ServerProcess.bucket, secret: String = ServerProcess.accessKeySecret,
        _ body: (OSSClient, AdminClient) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder: folder)
        defer { server.killNow() }
        let transport = CurlTransport()
        defer { transport.stop() }
        let client = OSSClient(
            configuration: try OSSClientConfiguration(
                endpoint: server.endpoint, region: ServerProcess.region, bucket: bucket),
            transport: transport,
            credentials: StaticCredentialsProvider(
                try Credentials(
                    accessKeyID: Array(ServerProcess.accessKeyID.utf8), accessKeySecret: Array(secret.utf8))),
            log: .silent)
        try body(client, server.admin)
    }

    @Test("odd names go there and back byte by byte, in keys, listings and copies")
    func oddNames() throws {
        try withClient { client, _ in
            let names: [[UInt8]] = [
                Array("\u{E9}".utf8), Array("e\u{301}".utf8), Array("a\r\nb".utf8), Array(" lead".utf8),
                Array("trail ".utf8), Array("+ % # ? & ~ '\"<>|\\*;=@,!()[]{}^`$".utf8), Array("中文/图片.jpg".utf8),
                Array("a//b".utf8), Array("./x/../y".utf8), Array("%41".utf8), [0x01, 0x1F, 0x7F], Array("\t".utf8),
            ]
            for name in names {
                let body = TextBody("content of \(name)")
                _ = try client.put(PutRequest(key: ObjectKey(name)), body: body, .test)
                #expect(try client.head(ObjectKey(name), .test).size == body.count)
                let copy = ObjectKey(Array("copy/".utf8) + name)
                _ = try client.copy(CopyRequest(source: ObjectKey(name), destination: copy), .test)
                #expect(try client.head(copy, .test).size == body.count)
            }
            let page = try client.list(ListRequest(prefix: [], foldsDirectories: false), .test)
            let expected = names + names.map { Array("copy/".utf8) + $0 }
            #expect(page.rows.map(\.key) == expected.map { ObjectKey($0) }.sorted())
        }
    }

    @Test("failing answers, cut bodies and wrong checksums are repeated until all is well")
    func faults() throws {
        try withClient { client, admin in
            let content = String(repeating: "0123456789", count: 30_000)
            let object = key("f")
            try admin.add(ServerFault(.status, on: "PutObject", status: 503, code: "ServiceUnavailable", count: 1))
            try admin.add(ServerFault(.wrongCRC, on: "PutObject", count: 1))
            _ = try client.put(PutRequest(key: object), body: TextBody(content), .test)
            try admin.add(ServerFault(.cut, on: "GetObject", count: 2, afterBytes: 100_000))
            try admin.add(ServerFault(.status, on: "GetObject", status: 500, code: "InternalError", count: 1))
            let receiver = CollectingReceiver()
            _ = try client.get(GetRequest(key: object), into: receiver, .test)
            #expect(receiver.content == content)
            let given = try admin.statistics().faults
            #expect(given["status"] == 2 && given["wrong-crc"] == 1 && given["cut"] == 2)
        }
    }

    @Test("answers that are lost after the deed neither fail nor fool a put, a copy or a delete")
    func lostAnswers() throws {
        try withClient { client, admin in
            for operation in ["PutObject", "CopyObject", "DeleteObject"] {
                try admin.add(ServerFault(.dropAfter, on: operation, count: 1))
            }
            let written = try client.put(
                PutRequest(key: key("a"), forbidOverwrite: true), body: TextBody("hello"), .test)
            #expect(try client.head(key("a"), .test).etag == written.etag)
            let again = failure { () throws(ObjectStoreError) in
                try client.put(PutRequest(key: key("a"), forbidOverwrite: true), body: TextBody("hello"), .test)
            }
            #expect(again?.kind == .alreadyExists)
            // Over a kept connection, where the transport repeats the request by itself.
            _ = try client.copy(
                CopyRequest(source: key("a"), destination: key("b"), forbidOverwrite: true), .test)
            try client.delete(key("a"), .test)
            #expect(
                try client.list(ListRequest(prefix: [], foldsDirectories: false), .test).rows.map(\.key) == [key("b")])
            #expect(try admin.statistics().faults["drop-after"] == 3)
        }
    }

    @Test("a wrong secret and a bucket that isn't there are told as such, by HEAD too")
    func refusals() throws {
        try withClient(secret: "wrong") { client, _ in
            for number in 0..<Self.callCount {
                #expect(
                    failure { () throws(ObjectStoreError) in try Self.makeCall(number, client) }?.kind
                        == .invalidCredentials)
            }
        }
        try withClient(bucket: "another-bucket") { client, _ in
            for number in 0..<Self.callCount {
                #expect(
                    failure { () throws(ObjectStoreError) in try Self.makeCall(number, client) }?.kind == .noSuchBucket)
            }
        }
    }

    private static let callCount = 5

    private static func makeCall(_ number: Int, _ client: OSSClient) throws(ObjectStoreError) {
        switch number {
        case 0: try client.probe(.test)
        case 1: _ = try client.head(key("a"), .test)
        case 2: try client.get(GetRequest(key: key("a")), into: CollectingReceiver(), .test)
        case 3: _ = try client.put(PutRequest(key: key("a")), body: TextBody("x"), .test)
        default: try client.delete(key("a"), .test)
        }
    }
}
