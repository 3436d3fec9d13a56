import Credentials
import Encoding
import HTTPTransport
import Instrumentation
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import OSSClient

/// The contract over the client of OSS and a server that is a process of its own; with what only the two together show.
@Suite(.serialized) struct OSSClientContractTests {
    private static let cases = ObjectStoreContract.cases

    /// One server for all cases, as they keep to prefixes of their own.
    private func withClient(_ body: (OSSClient, ServerProcess) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder: folder)
        defer { server.killNow() }
        let credentials = try Credentials(
            accessKeyID: Array(ServerProcess.accessKeyID.utf8),
            accessKeySecret: Array(ServerProcess.accessKeySecret.utf8))
        let transport = CurlTransport()
        defer { transport.stop() }
        let client = OSSClient(
            configuration: try OSSClientConfiguration(
                endpoint: server.endpoint, region: ServerProcess.region, bucket: ServerProcess.bucket),
            transport: transport, credentials: StaticCredentialsProvider(credentials), log: .silent)
        try body(client, server)
    }

    @Test("the client of OSS keeps the contract over the server")
    func contract() throws {
        try withClient { client, server in
            for requirement in Self.cases {
                do {
                    try requirement.check(client)
                } catch {
                    Issue.record("\(requirement): \(error)")
                }
            }
            let statistics = try server.admin.statistics()
            #expect(statistics["PutObject"] > 1000)
            #expect(statistics["ListObjectsV2"] > 100)
        }
    }

    @Test("a bucket that keeps versions does so by the contract, over the client of OSS and the server")
    func versions() throws {
        try withClient { client, _ in
            for requirement in ObjectStoreContract.versionCases {
                do {
                    try requirement.check(client) { try setVersioning($0, client) }
                } catch {
                    Issue.record("\(requirement): \(error)")
                }
            }
        }
    }

    /// The mount has no call for that: an operator does it.
    private func setVersioning(_ isEnabled: Bool, _ client: OSSClient) throws {
        var xml = XMLWriter()
        xml.element("VersioningConfiguration") { xml in
            xml.element("Status", (isEnabled ? "Enabled" : "Suspended").utf8)
        }
        let request = OSSRequest(
            operation: .putObject, method: "PUT", query: [QueryItem("versioning")],
            headers: [HTTPHeader("Content-Type", "application/xml")], body: DocumentBody(xml))
        try client.repeating(.putObject, nil, .test) { (state) throws(AttemptFailure) in
            _ = try client.exchange(request, &state)
        }
    }

    @Test("the contract holds while every seventh request is answered 500 and every eleventh get is cut")
    func contractUnderFaults() throws {
        // Those cases alone that make few requests: each fault costs a second of backing off.
        let cases = Self.cases.filter { $0.name.hasPrefix("a ") && !$0.name.hasPrefix("a key with") }
        try withClient { client, server in
            try server.admin.add(
                ServerFault(.status, on: "*", status: 500, code: "InternalError", every: 7))
            try server.admin.add(ServerFault(.cut, on: "GetObject", every: 11))
            for requirement in cases {
                do {
                    try requirement.check(client)
                } catch {
                    Issue.record("\(requirement): \(error)")
                }
            }
            let faults = try server.admin.statistics().faults
            #expect(faults["status", default: 0] >= 5)
        }
    }

    /// How a call ends: its kind, and how long it took.
    private func end(_ body: () throws -> Void) -> (kind: ObjectStoreErrorKind?, time: Duration) {
        let start = ContinuousClock.now
        var kind: ObjectStoreErrorKind?
        do { try body() } catch { kind = (error as? ObjectStoreError)?.kind ?? .unexpected }
        return (kind, start.duration(to: .now))
    }

    @Test("a call that hangs ends at its deadline as unavailable, and soon after its cancellation as cancelled")
    func hangingServer() throws {
        try withClient { client, server in
            let key = ObjectKey(text: "hanging")
            _ = try client.put(PutRequest(key: key), body: BytesBody([1]), .test)
            try server.admin.add(ServerFault(.hang, on: "*"))
            let calls: [(RequestContext) throws -> Void] = [
                { _ = try client.head(key, $0) },
                { _ = try client.get(GetRequest(key: key), into: CollectingReceiver(), $0) },
                { _ = try client.put(PutRequest(key: key), body: BytesBody([2]), $0) },
                { _ = try client.list(ListRequest(prefix: [], foldsDirectories: true), $0) },
                { try client.delete(ObjectKey(text: "nothing"), $0) },
            ]
            for call in calls {
                let late = end { try call(RequestContext(deadline: .after(.milliseconds(200)))) }
                #expect(late.kind == .unavailable)
                #expect(late.time < .seconds(2))
                try server.admin.reset()
                let cancellation = Cancellation()
                let isStarted = PlainThread.start(name: "canceller", stackBytes: 256 * 1024) {
                    // Once the call hangs; were it never to, its deadline would end it with another kind.
                    _ = eventually(within: .seconds(10)) { ((try? server.admin.unanswered()) ?? 0) > 0 }
                    cancellation.cancel()
                }
                #expect(isStarted)
                let stopped = end {
                    try call(RequestContext(deadline: .after(.seconds(20)), cancellation: cancellation))
                }
                #expect(stopped.kind == .cancelled)
                #expect(stopped.time < .seconds(5))
            }
        }
    }

    @Test("answers that are lost after the deed, and wrong checksums, neither fail nor fool an upload in parts")
    func lostUploadAnswers() throws {
        try withClient { client, server in
            let operations = [
                "InitiateMultipartUpload", "UploadPart", "UploadPartCopy", "ListParts", "CompleteMultipartUpload",
            ]
            for operation in operations { try server.admin.add(ServerFault(.dropAfter, on: operation, count: 1)) }
            try server.admin.add(ServerFault(.wrongCRC, on: "UploadPart", count: 1))
            var random = SeededGenerator(seed: 8)
            let bytes = random.bytes(100 << 10)
            let (key, source) = (ObjectKey(text: "lost"), ObjectKey(text: "source"))
            _ = try client.put(PutRequest(key: source), body: BytesBody(bytes), .test)
            let upload = try client.initiateUpload(InitiateRequest(key: key), .test)
            let (first, second) = (try #require(PartNumber(1)), try #require(PartNumber(2)))
            let parts = [
                try client.copyPart(upload, first, from: PartCopySource(key: source), .test),
                try client.uploadPart(upload, second, body: BytesBody([1, 2, 3]), .test),
            ]
            #expect(try client.listParts(upload, after: nil, limit: 10, .test).parts == parts)
            let request = CompleteRequest(
                address: upload, parts: parts.map { CompletedPart($0) }, size: Int64(bytes.count + 3),
                forbidOverwrite: true)
            let written = try client.completeUpload(request, .test)
            #expect(try client.head(key, .test).etag == written.etag)
            let receiver = CollectingReceiver()
            _ = try client.get(GetRequest(key: key), into: receiver, .test)
            #expect(receiver.bytes == bytes + [1, 2, 3])
            let faults = try server.admin.statistics().faults
            #expect(faults["drop-after"] == operations.count && faults["wrong-crc"] == 1)
        }
    }

    @Test("a server that is gone is unavailable and never an absent object; when it is back, calls go through")
    func restartedServer() throws {
        try withClient { client, server in
            let key = ObjectKey(text: "kept")
            _ = try client.put(PutRequest(key: key), body: BytesBody([1, 2, 3]), .test)
            server.killNow()
            let gone = end { _ = try client.head(key, RequestContext(deadline: .after(.milliseconds(300)))) }
            #expect(gone.kind == .unavailable)
            try server.start()
            #expect(try client.head(key, .test).size == 3)
            let receiver = CollectingReceiver()
            _ = try client.get(GetRequest(key: key), into: receiver, .test)
            #expect(receiver.bytes == [1, 2, 3])
        }
    }
}
