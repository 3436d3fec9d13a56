import Credentials
import HTTPTransport
import Instrumentation
import OSSClient
import ObjectStore
import Runtime
import TestSupport
import Testing

/// The client over servers that answer differently where nobody could ask the real service: it must come well out of
/// every answer.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ServerAnswerTests {
    private static let elsewhere = "bucket-elsewhere"
    private static let elsewhereEndpoint = "oss-eu-west-1.example.com"

    /// A server of this test's own that gives this answer, and a client on it.
    private func withClient(
        _ answer: String, bucket: String = ServerProcess.bucket, isTemporary: Bool = false,
        _ body: (OSSClient, ServerProcess) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try ServerProcess(
            folder: folder,
            options: ["--answer", answer, "--bucket-elsewhere", "\(Self.elsewhere)=\(Self.elsewhereEndpoint)"])
        defer { server.killNow() }
        let transport = CurlTransport()
        defer { transport.stop() }
        let serverClock = ServerClock()
        let client = OSSClient(
            configuration: try OSSClientConfiguration(
                endpoint: server.endpoint, region: ServerProcess.region, bucket: bucket),
            transport: transport,
            credentials: try isTemporary
                ? temporary(server, transport, serverClock)
                : StaticCredentialsProvider(
                    Credentials(
                        accessKeyID: Array(ServerProcess.accessKeyID.utf8),
                        accessKeySecret: Array(ServerProcess.accessKeySecret.utf8))),
            log: .silent, serverClock: serverClock)
        try body(client, server)
    }

    private func temporary(
        _ server: ServerProcess, _ transport: CurlTransport, _ clock: ServerClock
    ) -> any CredentialsProvider {
        var policy = RefreshPolicy()
        // Keys may be refused the moment after they came.
        policy.leastAge = .zero
        return RefreshingCredentialsProvider(
            source: AuthServerSource(
                .init(url: Array("\(server.endpoint)/-/credentials".utf8)), transport: transport),
            serverClock: clock, policy: policy, log: .silent)
    }

    private func failure(_ body: () throws -> Void) -> ObjectStoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ObjectStoreError
        }
    }

    @Test(
        "the contract holds by either answer",
        arguments: [
            "listing-space=+", "first-page=empty", "write-conditions=refused", "write-conditions=honoured",
            "copy-acl=kept", "mismatch=bare", "delete-many=partial", "delete-document=2MB", "forbid-overwrite=honoured",
            "bucket-stat=hourly",
        ])
    func contract(_ answer: String) throws {
        // The two largest cases tell nothing of answers.
        let cases = ObjectStoreContract.cases.filter { !$0.name.contains("thousand") }
        try withClient(answer) { client, _ in
            for requirement in cases {
                do {
                    try requirement.check(client)
                } catch {
                    Issue.record("\(requirement) by \(answer): \(error)")
                }
            }
        }
    }

    @Test(
        "a bucket of another region is told with its endpoint, and no redirect is followed",
        arguments: ["denied", "redirect"])
    func wrongRegion(_ answer: String) throws {
        try withClient("wrong-region=\(answer)", bucket: Self.elsewhere) { client, server in
            let key = ObjectKey(text: "k")
            let calls: [(OSSClient) throws -> Void] = [
                { try $0.probe(.test) }, { _ = try $0.head(key, .test) }, { try $0.delete(key, .test) },
                { _ = try $0.get(GetRequest(key: key), into: CollectingReceiver(), .test) },
                { _ = try $0.put(PutRequest(key: key), body: BytesBody([1]), .test) },
            ]
            for call in calls {
                let error = failure { try call(client) }
                #expect(error?.kind == .noSuchBucket)
                #expect(error?.message.contains(Self.elsewhereEndpoint) == true)
            }
            let total = try server.admin.statistics().total
            #expect(total == calls.count)
        }
    }

    @Test("a clock that is days off is corrected by either refusal", arguments: ["skewed", "invalid"])
    func farDate(_ answer: String) throws {
        try withClient("far-date=\(answer)") { client, server in
            try server.admin.shiftClock(seconds: 3 * 86_400)
            let key = ObjectKey(text: "k")
            _ = try client.put(PutRequest(key: key), body: BytesBody([1, 2]), .test)
            #expect(try client.head(key, .test).size == 2)
            // One refusal, and no other once the clock is known to differ.
            #expect(try server.admin.statistics().total == 3)
        }
    }

    @Test(
        "keys that were taken back in mid-work are replaced by new ones, however their end is spelled",
        arguments: ["expired", "invalid", "unknown", "denied"])
    func expiredToken(_ answer: String) throws {
        try withClient("expired-token=\(answer)", isTemporary: true) { client, server in
            let key = ObjectKey(text: "k")
            _ = try client.put(PutRequest(key: key), body: BytesBody([1]), .test)
            for form in ["expired", "invalid"] {
                try server.admin.revokeCredentials(as: form)
                _ = try client.put(PutRequest(key: key), body: BytesBody([2]), .test)
                try server.admin.revokeCredentials(as: form)
                #expect(try client.head(key, .test).size == 1)
            }
            #expect(try server.admin.statistics()["GetCredentials"] == 5)
        }
    }

    @Test("an object whose checksum the server doesn't tell is read and copied")
    func noChecksum() throws {
        try withClient("checksum=absent") { client, _ in
            let (key, copy) = (ObjectKey(text: "k"), ObjectKey(text: "copy"))
            _ = try client.put(PutRequest(key: key), body: BytesBody([1, 2, 3]), .test)
            #expect(try client.head(key, .test).crc64 == nil)
            let receiver = CollectingReceiver()
            _ = try client.get(GetRequest(key: key), into: receiver, .test)
            #expect(receiver.bytes == [1, 2, 3])
            _ = try client.copy(CopyRequest(source: key, destination: copy), .test)
            #expect(try client.head(copy, .test).size == 3)
        }
    }

    @Test("a body that came too slowly is sent again, by either status of RequestTimeout", arguments: [400, 408])
    func requestTimeout(_ status: Int) throws {
        try withClient("mismatch=full") { client, server in
            try server.admin.add(
                ServerFault(.status, on: "PutObject", status: status, code: "RequestTimeout", count: 1))
            let key = ObjectKey(text: "k")
            _ = try client.put(PutRequest(key: key), body: BytesBody([1]), .test)
            #expect(try server.admin.statistics()["PutObject"] == 2)
        }
    }

    @Test("a listing whose first page is empty is no empty listing")
    func emptyFirstPage() throws {
        try withClient("first-page=empty") { client, _ in
            _ = try client.put(PutRequest(key: ObjectKey(text: "d/f")), body: BytesBody([1]), .test)
            let page = try client.list(ListRequest(prefix: Array("d/".utf8), foldsDirectories: false, limit: 1), .test)
            #expect(page.rows.map(\.key) == [ObjectKey(text: "d/f")])
            let none = try client.list(ListRequest(prefix: Array("e/".utf8), foldsDirectories: false, limit: 1), .test)
            #expect(none.rows.isEmpty && none.next == nil)
        }
    }
}
