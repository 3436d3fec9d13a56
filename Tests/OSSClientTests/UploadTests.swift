import Instrumentation
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct UploadTests {
    private let begun =
        "<InitiateMultipartUploadResult xmlns=\"http://doc.oss-cn-hangzhou.aliyuncs.com\">"
        + "<EncodingType>url</EncodingType><Bucket>photos</Bucket><Key>k%0D</Key><UploadId>0004B9&amp;1</UploadId>"
        + "</InitiateMultipartUploadResult>"
    private let address = UploadAddress(key: ObjectKey("a".utf8), id: UploadID("ID".utf8))

    private func row(_ number: Int) -> String {
        "<Part><PartNumber>\(number)</PartNumber><LastModified>2026-09-21T14:13:25.000Z</LastModified>"
            + "<ETag>&quot;p\(number)&quot;</ETag><HashCrc64ecma>\(number * 7)</HashCrc64ecma><Size>\(number * 10)</Size></Part>"
    }

    private func parts(_ numbers: [Int], next: String? = nil) -> Step {
        .reply(
            200, [:],
            "<ListPartsResult><Bucket>photos</Bucket><Key>a</Key><UploadId>ID</UploadId>"
                + "<IsTruncated>\(next != nil)</IsTruncated><NextPartNumberMarker>\(next ?? "0")</NextPartNumberMarker>"
                + numbers.map(row).joined() + "</ListPartsResult>")
    }

    private func uploads(_ rows: [(String, String)], next: (String, String)? = nil) -> Step {
        let rows = rows.map { key, id in
            "<Upload><Key>\(key)</Key><UploadId>\(id)</UploadId><Owner><ID>o</ID></Owner>"
                + "<Initiated>2026-09-21T14:13:25.000Z</Initiated></Upload>"
        }
        return .reply(
            200, ["Date": "Mon, 21 Sep 2026 14:13:26 GMT"],
            "<ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>\(next != nil)</IsTruncated>"
                + "<NextKeyMarker>\(next?.0 ?? "")</NextKeyMarker>"
                + "<NextUploadIdMarker>\(next?.1 ?? "")</NextUploadIdMarker>" + rows.joined()
                + "</ListMultipartUploadsResult>")
    }

    @Test("an upload is begun with the object's metadata and properties, and has the id that the answer tells")
    func initiate() throws {
        let fixture = try Fixture([.reply(200, [:], "<html/>"), .reply(200, [:], begun)])
        let name = ObjectKey([0x6B, 0x0D, 0x01, 0xC3, 0xA9])
        let request = InitiateRequest(
            key: name, metadata: ObjectMetadata(user: ["mode": Array("33188".utf8)]),
            properties: ObjectProperties(storageClass: Array("IA".utf8)))
        let upload = try fixture.client.initiateUpload(request, fixture.context)
        #expect(upload == UploadAddress(key: name, id: UploadID("0004B9&1".utf8)))
        let sent = try #require(fixture.transport.sent.last)
        #expect(sent.request.method == "POST" && sent.request.body?.count == 0)
        #expect(
            text(sent.request.url) == "http://127.0.0.1:9000/photos/k%0D%01%C3%A9?uploads&encoding-type=url")
        #expect(sent.header("Content-Type") == "application/octet-stream")
        #expect(sent.header("x-oss-meta-mode") == "33188" && sent.header("x-oss-storage-class") == "IA")
    }

    @Test("aborting is done as well where there was nothing, and not where there is no bucket")
    func abort() throws {
        for step in [Step.reply(204), .reply(404, [:], errorDocument("NoSuchUpload"))] {
            let fixture = try Fixture([.fail(.connectionLost), step])
            try fixture.client.abortUpload(address, fixture.context)
            #expect(fixture.transport.sent.map(\.request.method) == ["DELETE", "DELETE"])
            #expect(fixture.transport.sent.map { text($0.request.url) }.last?.hasSuffix("/a?uploadId=ID") == true)
        }
        let fixture = try Fixture([.reply(404, [:], errorDocument("NoSuchBucket"))])
        let error = failure { () throws(ObjectStoreError) in
            try fixture.client.abortUpload(address, fixture.context)
        }
        #expect(error?.kind == .noSuchBucket)
    }

    @Test("parts are listed page by page, each after the last")
    func listParts() throws {
        let fixture = try Fixture([parts([1, 4], next: "4"), parts([9])])
        let first = try fixture.client.listParts(address, after: nil, limit: 2, fixture.context)
        #expect(first.parts.map(\.number.value) == [1, 4])
        let last = try #require(first.parts.last)
        #expect(last.etag == ETag("\"p4\"".utf8) && last.size == 40 && last.crc64 == 28)
        #expect(first.next?.value == 4)
        let second = try fixture.client.listParts(address, after: first.next, limit: 5000, fixture.context)
        #expect(second.parts.map(\.number.value) == [9] && second.next == nil)
        #expect(
            fixture.transport.sent.map { text($0.request.url) } == [
                "http://127.0.0.1:9000/photos/a?uploadId=ID&encoding-type=url&max-parts=2",
                "http://127.0.0.1:9000/photos/a?uploadId=ID&encoding-type=url&max-parts=1000&part-number-marker=4",
            ])
    }

    @Test("a list of parts that doesn't get ahead, or lacks what parts have, is no answer")
    func malformedParts() throws {
        let bad: [Step] = [
            parts([1], next: "4"), parts([1], next: "0"), parts([1], next: "x"), parts([0]), parts([10_001]),
            .reply(200, [:], "<ListPartsResult></ListPartsResult>"), .reply(200, [:], "<Other/>"),
            .reply(200, [:], "<"),
            .reply(
                200, [:],
                "<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>5</PartNumber></Part></ListPartsResult>"
            ),
        ]
        let after = try #require(PartNumber(4))
        for step in bad {
            let fixture = try Fixture([step, step, step])
            let error = failure { () throws(ObjectStoreError) in
                try fixture.client.listParts(address, after: after, limit: 10, fixture.context)
            }
            #expect(error?.kind == .unexpected)
            #expect(fixture.transport.stepsLeft == 0)
        }
    }

    @Test("uploads are listed page by page, with keys of any bytes")
    func listUploads() throws {
        let fixture = try Fixture([
            uploads([("p%2F%01%0D", "A"), ("p%2F%2B+%C3%A9", "B")], next: ("p%2F%2B+%C3%A9", "B")),
            uploads([("q", "C")]),
        ])
        let first = try fixture.client.listUploads(
            prefix: Array("p/".utf8), after: nil, limit: 2, fixture.context)
        let odd = ObjectKey(Array("p/+ é".utf8))
        #expect(first.uploads.map(\.address.key) == [ObjectKey(Array("p/".utf8) + [0x01, 0x0D]), odd])
        #expect(first.uploads.map(\.initiated.seconds) == [1_790_000_005, 1_790_000_005])
        #expect(first.next == UploadAddress(key: odd, id: UploadID("B".utf8)))
        #expect(first.serverDate == WallTime(seconds: 1_790_000_006))
        let second = try fixture.client.listUploads(prefix: [], after: first.next, limit: 0, fixture.context)
        #expect(second.uploads.map(\.address.id) == [UploadID("C".utf8)] && second.next == nil)
        #expect(
            fixture.transport.sent.map { text($0.request.url) } == [
                "http://127.0.0.1:9000/photos/?uploads&encoding-type=url&max-uploads=2&prefix=p%2F",
                "http://127.0.0.1:9000/photos/?uploads&encoding-type=url&max-uploads=1"
                    + "&key-marker=p%2F%2B%20%C3%A9&upload-id-marker=B",
            ])
    }

    @Test("a list of uploads that goes on nowhere, or where it began, is no answer")
    func malformedUploads() throws {
        let after = UploadAddress(key: key("a"), id: UploadID("B".utf8))
        for step in [
            uploads([], next: ("", "")), uploads([], next: ("a", "B")), uploads([("a", "")]), uploads([("%4", "A")]),
            .reply(200, [:], "<ListMultipartUploadsResult/>"),
        ] {
            let fixture = try Fixture([step, step, step])
            let error = failure { () throws(ObjectStoreError) in
                try fixture.client.listUploads(prefix: [], after: after, limit: 10, fixture.context)
            }
            #expect(error?.kind == .unexpected)
        }
        let onward = try Fixture([uploads([], next: ("a", ""))])
        let page = try onward.client.listUploads(prefix: [], after: after, limit: 10, onward.context)
        #expect(page.next == UploadAddress(key: key("a"), id: UploadID([])), "after all uploads of a key")
    }
}
