import ObjectStore
import Testing

@testable import OSSClient

@Suite struct PropertyTests {
    private let whole = ObjectProperties(
        acl: Array("public-read".utf8),
        tagging: [
            ObjectTag(key: Array("a b".utf8), value: Array("c=d&é".utf8)), ObjectTag(key: Array("+".utf8), value: []),
        ],
        storageClass: Array("IA".utf8),
        encryption: ObjectEncryption(
            algorithm: Array("KMS".utf8), keyID: Array("key-1".utf8), dataAlgorithm: Array("SM4".utf8)))
    private let copied = "<CopyObjectResult><ETag>\"v\"</ETag></CopyObjectResult>"
    private let names = [
        "x-oss-object-acl", "x-oss-storage-class", "x-oss-server-side-encryption",
        "x-oss-server-side-encryption-key-id", "x-oss-server-side-data-encryption", "x-oss-tagging",
        "x-oss-tagging-directive",
    ]

    private func put(_ fixture: Fixture, _ properties: ObjectProperties) -> ObjectStoreError? {
        failure { () throws(ObjectStoreError) in
            try fixture.client.put(
                PutRequest(key: key("a"), properties: properties), body: TextBody("x"), fixture.context)
        }
    }

    private func copy(_ properties: ObjectProperties, replaces: Bool) throws -> [String?] {
        let fixture = try Fixture([.reply(200, [:], copied)])
        _ = try fixture.client.copy(
            CopyRequest(source: key("a"), destination: key("b"), properties: properties, taggingReplaces: replaces),
            fixture.context)
        let sent = try #require(fixture.transport.sent.first)
        return names.map { sent.header($0) }
    }

    @Test("properties go out under the service's names, tags encoded, and nothing where there are none")
    func sent() throws {
        let answer = Step.reply(200, ["ETag": "\"v\""])
        let fixture = try Fixture([answer, answer])
        #expect(put(fixture, whole) == nil)
        #expect(put(fixture, ObjectProperties()) == nil)
        let sent = fixture.transport.sent.map { request in names.map { request.header($0) } }
        let expected = ["public-read", "IA", "KMS", "key-1", "SM4", "a%20b=c%3Dd%26%C3%A9&%2B=", nil]
        #expect(sent == [expected, [String?](repeating: nil, count: names.count)])
    }

    @Test("a copy sends tags only where they are to replace the source's, and says so even if there are none")
    func copies() throws {
        #expect(try copy(whole, replaces: false).suffix(2) == [nil, nil])
        #expect(try copy(whole, replaces: true).suffix(2) == ["a%20b=c%3Dd%26%C3%A9&%2B=", "Replace"])
        #expect(try copy(ObjectProperties(), replaces: true).suffix(2) == [nil, "Replace"])
        #expect(try copy(whole, replaces: false).prefix(2) == ["public-read", "IA"])
    }

    @Test("values that would begin another header are never sent")
    func injection() throws {
        let bad = Array("IA\r\nx-oss-object-acl: public-read-write".utf8)
        for properties in [
            ObjectProperties(acl: bad), ObjectProperties(storageClass: bad),
            ObjectProperties(encryption: ObjectEncryption(algorithm: bad)),
            ObjectProperties(encryption: ObjectEncryption(algorithm: [65], keyID: bad)),
        ] {
            let fixture = try Fixture([])
            #expect(put(fixture, properties)?.kind == .invalidRequest)
            #expect(fixture.transport.sent.isEmpty)
        }
    }

    @Test("a HEAD tells encryption, tags, version, restoration and where an append goes on")
    func told() throws {
        var headers = objectHeaders("hello")
        headers["x-oss-server-side-encryption"] = "KMS"
        headers["x-oss-server-side-encryption-key-id"] = "key-1"
        headers["x-oss-server-side-data-encryption"] = "SM4"
        headers["x-oss-tagging-count"] = "3"
        headers["x-oss-version-id"] = "CAEQ"
        headers["x-oss-restore"] = "ongoing-request=\"true\""
        headers["x-oss-next-append-position"] = "5"
        let fixture = try Fixture([.reply(200, headers), .reply(200, objectHeaders("hello"))])
        let info = try fixture.client.head(key("a"), fixture.context)
        #expect(info.encryption == whole.encryption && info.taggingCount == 3)
        #expect(info.version == VersionID("CAEQ".utf8) && info.appendPosition == 5)
        #expect(info.restoration == Restoration(isOngoing: true))
        let plain = try fixture.client.head(key("a"), fixture.context)
        #expect(plain.encryption == nil && plain.taggingCount == 0 && plain.version == nil)
        #expect(plain.restoration == nil && plain.appendPosition == nil)
    }
}
