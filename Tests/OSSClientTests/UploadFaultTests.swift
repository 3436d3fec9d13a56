import Checksums
import Credentials
import HTTPTransport
import ObjectStore
import TestSupport
import Testing

@testable import OSSClient

/// Uploads in parts over the embedded server while it fails: the object is the one that was sent, or the old one.
@Suite(.serialized, .timeLimit(.minutes(1))) struct UploadFaultTests {
    private static let partBytes = 128 * 1024
    private static let partCount = 12

    private struct Bench {
        let client: OSSClient
        let admin: AdminClient
        let bytes: [UInt8]
        let target = key("dir/object")

        /// Sends everything in parts, and what is needed to complete it.
        func send() throws -> CompleteRequest {
            let upload = try client.initiateUpload(InitiateRequest(key: target), .test)
            var parts: [CompletedPart] = []
            for index in 0..<UploadFaultTests.partCount {
                let start = index * UploadFaultTests.partBytes
                let part = Array(bytes[start..<min(start + UploadFaultTests.partBytes, bytes.count)])
                let number = try #require(PartNumber(index + 1))
                parts.append(CompletedPart(try client.uploadPart(upload, number, body: BytesBody(part), .test)))
            }
            var crc = CRC64()
            bytes.withUnsafeBytes { crc.update($0) }
            return CompleteRequest(address: upload, parts: parts, size: Int64(bytes.count), crc64: crc.value)
        }

        func expectWhole() throws {
            let receiver = CollectingReceiver()
            try client.get(GetRequest(key: target), into: receiver, .test)
            #expect(receiver.bytes == bytes)
            #expect(try client.listUploads(prefix: [], after: nil, limit: 10, .test).uploads.isEmpty)
        }
    }

    private func withBench(_ body: (Bench) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder: folder)
        defer { server.killNow() }
        let transport = CurlTransport()
        defer { transport.stop() }
        let client = OSSClient(
            configuration: try OSSClientConfiguration(
                endpoint: server.endpoint, region: ServerProcess.region, bucket: ServerProcess.bucket),
            transport: transport,
            credentials: StaticCredentialsProvider(
                try Credentials(
                    accessKeyID: Array(ServerProcess.accessKeyID.utf8),
                    accessKeySecret: Array(ServerProcess.accessKeySecret.utf8))),
            log: .silent)
        var random = SeededGenerator(seed: 4)
        try body(
            Bench(client: client, admin: server.admin, bytes: random.bytes(Self.partBytes * Self.partCount - 77)))
    }

    @Test(
        "parts that are refused, cut, lost or answered with a wrong checksum are sent again",
        arguments: [
            ServerFault(.status, on: "UploadPart", status: 500, code: "InternalError", every: 3),
            ServerFault(.cut, on: "UploadPart", every: 3, afterBytes: 50_000),
            ServerFault(.dropBefore, on: "UploadPart", every: 3),
            ServerFault(.dropAfter, on: "UploadPart", every: 3), ServerFault(.wrongCRC, on: "UploadPart", every: 3),
        ])
    func parts(_ fault: ServerFault) throws {
        try withBench { bench in
            try bench.admin.add(fault)
            _ = try bench.client.completeUpload(try bench.send(), .test)
            #expect(try bench.admin.statistics().faults[fault.kind.rawValue, default: 0] >= 4)
            try bench.expectWhole()
        }
    }

    @Test("a completion whose answer is lost, once or twice, has made the object, and says so", arguments: [1, 2])
    func lostCompletion(times: Int) throws {
        try withBench { bench in
            let request = try bench.send()
            try bench.admin.add(ServerFault(.dropAfter, on: "CompleteMultipartUpload", count: times))
            let written = try bench.client.completeUpload(request, .test)
            #expect(try bench.admin.statistics().faults["drop-after"] == times)
            #expect(try bench.client.head(bench.target, .test).etag == written.etag)
            try bench.expectWhole()
        }
    }

    @Test("NoSuchUpload for an upload that is finished is its success where the object is the one, and only then")
    func finishedUpload() throws {
        try withBench { bench in
            var request = try bench.send()
            try bench.admin.add(ServerFault(.dropAfter, on: "CompleteMultipartUpload", count: 1))
            try bench.admin.add(
                ServerFault(
                    .status, on: "CompleteMultipartUpload", status: 404, code: "NoSuchUpload", count: 1))
            let written = try bench.client.completeUpload(request, .test)
            try bench.expectWhole()
            // Asked again later, as after a restart.
            request.mayBeDone = true
            #expect(try bench.client.completeUpload(request, .test).etag == written.etag)
            request.mayBeDone = false
            #expect(error(request, bench) == .noSuchUpload, "nobody lost an answer")
            _ = try bench.client.put(PutRequest(key: bench.target), body: TextBody("of somebody else"), .test)
            request.mayBeDone = true
            #expect(error(request, bench) == .noSuchUpload, "the object is another one")
        }
    }

    private func error(_ request: CompleteRequest, _ bench: Bench) -> ObjectStoreErrorKind? {
        failure { () throws(ObjectStoreError) in try bench.client.completeUpload(request, .test) }?.kind
    }
}
