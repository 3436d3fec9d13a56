import Instrumentation
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct ListingTests {
    private func document(_ inside: String, encoding: String = "<EncodingType>url</EncodingType>") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>photos</Name>\(encoding)\(inside)"
            + "</ListBucketResult>"
    }

    private func row(_ key: String, size: String = "5", type: String = "Normal") -> String {
        "<Contents><Key>\(key)</Key><LastModified>2026-09-21T14:13:20.000Z</LastModified>"
            + "<ETag>\"5B3C1A2E\"</ETag><Type>\(type)</Type><Size>\(size)</Size><StorageClass>IA</StorageClass>"
            + "<Owner><ID>1</ID><Key>not this</Key></Owner></Contents>"
    }

    private func page(_ inside: String, encoding: String = "<EncodingType>url</EncodingType>") throws -> ListPage {
        try ListResult.page(Array(document(inside, encoding: encoding).utf8), serverDate: nil)
    }

    @Test("a page's rows, prefixes and continuation are read")
    func wholePage() throws {
        let page = try page(
            "<Prefix>a</Prefix><IsTruncated>true</IsTruncated><NextContinuationToken>CgJ%2B%3D</NextContinuationToken>"
                + row("a%2Fb.jpg") + "<CommonPrefixes><Prefix>a%2Fc%2F</Prefix></CommonPrefixes>"
                + "<CommonPrefixes><Prefix>a%2Fd%2F</Prefix></CommonPrefixes>" + row("a%2Fl", type: "Symlink"))
        #expect(
            page.rows.first
                == ListRow(
                    key: key("a/b.jpg"), size: 5, etag: ETag("\"5B3C1A2E\"".utf8),
                    lastModified: WallTime(seconds: 1_790_000_000), type: .normal, storageClass: Array("IA".utf8)))
        #expect(page.rows.map(\.type) == [.normal, .symlink])
        #expect(page.commonPrefixes == [key("a/c/"), key("a/d/")])
        #expect(page.next == ContinuationToken("CgJ+=".utf8))
    }

    @Test("odd names come back byte by byte")
    func oddNames() throws {
        let names: [(String, [UInt8])] = [
            ("%C3%A9", [0xC3, 0xA9]), ("e%CC%81", [0x65, 0xCC, 0x81]), ("a%0D%0Ab", [0x61, 0x0D, 0x0A, 0x62]),
            ("1%2B1", Array("1+1".utf8)), ("1+1", Array("1 1".utf8)), ("%01%7F", [0x01, 0x7F]),
            ("100%25", Array("100%".utf8)), ("%20x%20", Array(" x ".utf8)), ("a//b", Array("a//b".utf8)),
        ]
        let page = try page("<IsTruncated>false</IsTruncated>" + names.map { row($0.0) }.joined())
        #expect(page.rows.map(\.key.bytes) == names.map(\.1))
        #expect(page.next == nil)
    }

    @Test("what XML can't carry spoils a field, and never leaves another value in its place")
    func spoiltFields() throws {
        let good = row("a")
        let spoilt = good.replacing("5B3C1A2E", with: "5B3C&#1;1A2E").replacing("IA", with: "I&#2;A")
        let page = try page("<IsTruncated>false</IsTruncated>" + spoilt)
        #expect(page.rows.map(\.etag) == [ETag([])])
        #expect(page.rows.map(\.storageClass) == [[]])
        for field in [("<Size>5", "<Size>5&#1;0"), ("14:13:20.000", "14:13:20.&#1;000")] {
            #expect(throws: ListResult.Malformed.self) {
                try self.page("<IsTruncated>false</IsTruncated>" + good.replacing(field.0, with: field.1))
            }
        }
        #expect(throws: ListResult.Malformed.self) { try self.page("<IsTruncated>fal&#1;se</IsTruncated>") }
    }

    @Test("names are decoded only where the answer says that they are encoded, wherever it says so")
    func encodingType() throws {
        let plain = try page("<IsTruncated>false</IsTruncated>" + row("1%2B1+&amp;"), encoding: "")
        #expect(plain.rows.map(\.key) == [key("1%2B1+&")])
        let late = try page(
            "<IsTruncated>false</IsTruncated>" + row("1%2B1") + "<EncodingType>url</EncodingType>", encoding: "")
        #expect(late.rows.map(\.key) == [key("1+1")])
    }

    @Test("an empty page may go on, and one without rows may end")
    func emptyPages() throws {
        let open = try page(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
        #expect(open.rows.isEmpty && open.next != nil)
        #expect(try page("<IsTruncated>false</IsTruncated><NextContinuationToken/>").next == nil)
    }

    @Test(
        "a listing that lacks what it needs, or is hostile, is refused",
        arguments: [
            "", "<IsTruncated>perhaps</IsTruncated>", "<IsTruncated>true</IsTruncated>",
            "<IsTruncated>false</IsTruncated><Contents><Size>1</Size></Contents>",
            "<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size></Contents>",
            "<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>99999999999999999999</Size></Contents>",
            "<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>1</Size></Contents>",
            "<IsTruncated>false</IsTruncated><CommonPrefixes><Prefix>a%2</Prefix></CommonPrefixes>",
            "<IsTruncated>false</IsTruncated><CommonPrefixes><Prefix>a&#1;</Prefix></CommonPrefixes>",
            "<a><b><c><d><e><f><g><h><i><j><k><l><m><n><o><p>",
        ])
    func refused(inside: String) {
        #expect(throws: ListResult.Malformed.self) { try page(inside) }
    }

    @Test("a document cut anywhere, of another kind, or with entities, is refused")
    func truncated() {
        let whole = Array(document("<IsTruncated>false</IsTruncated>" + row("a")).utf8)
        for length in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: ListResult.Malformed.self) {
                try ListResult.page(Array(whole[..<length]), serverDate: nil)
            }
        }
        for other in ["<html/>", "<Error><IsTruncated>false</IsTruncated></Error>"] {
            #expect(throws: ListResult.Malformed.self) { try ListResult.page(Array(other.utf8), serverDate: nil) }
        }
    }

    @Test("a name that nobody uses and XML can't carry doesn't spoil the page")
    func unusedName() throws {
        #expect(try page("<Prefix>&#1;</Prefix><IsTruncated>false</IsTruncated>" + row("a")).rows.count == 1)
    }

    @Test("a request asks for exactly what was meant, encoded strictly")
    func requestForm() throws {
        let empty = document("<IsTruncated>false</IsTruncated>")
        let fixture = try Fixture([
            .reply(200, ["Date": "Mon, 21 Sep 2026 14:13:20 GMT"], empty), .reply(200, [:], empty),
        ])
        let first = try fixture.client.list(
            ListRequest(
                prefix: Array("a b/+é".utf8), foldsDirectories: true, startAfter: key("a b/+é\r\n"), limit: 5000),
            fixture.context)
        #expect(first.serverDate == WallTime(seconds: 1_790_000_000))
        _ = try fixture.client.list(
            ListRequest(
                prefix: [], foldsDirectories: false, startAfter: key("x"),
                continuation: ContinuationToken("C+=".utf8), limit: 0),
            fixture.context)
        #expect(
            fixture.transport.sent.map { text($0.request.url) } == [
                "http://127.0.0.1:9000/photos/?list-type=2&encoding-type=url&max-keys=1000&prefix=a%20b%2F%2B%C3%A9"
                    + "&delimiter=%2F&start-after=a%20b%2F%2B%C3%A9%0D%0A",
                "http://127.0.0.1:9000/photos/?list-type=2&encoding-type=url&max-keys=1&continuation-token=C%2B%3D",
            ])
    }

    @Test("a probe lists one key, under the prefix that the credentials may list")
    func probe() throws {
        let fixture = try Fixture([.reply(200, [:], document("<IsTruncated>false</IsTruncated>"))])
        try fixture.client.probe(fixture.context)
        #expect(
            fixture.transport.sent.map { text($0.request.url) }
                == ["http://127.0.0.1:9000/photos/?list-type=2&encoding-type=url&max-keys=1"])
    }

    @Test("a missing bucket is told as such")
    func noBucket() throws {
        let fixture = try Fixture([.reply(404, [:], errorDocument("NoSuchBucket"))])
        let error = failure { () throws(ObjectStoreError) in try fixture.client.probe(fixture.context) }
        #expect(error?.kind == .noSuchBucket)
        #expect(error?.requestID == "5C1B")
    }
}
