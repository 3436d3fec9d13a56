import Instrumentation
import ObjectStore
import Testing

@testable import OSSClient

/// Links, annotations, versions and reports: what goes out, and what answers mean.
@Suite struct FamilyTests {
    private func url(_ fixture: Fixture, _ index: Int = 0) -> String {
        text(fixture.transport.sent[index].request.url)
    }

    @Test("a link's target goes out escaped and comes back as it was")
    func links() throws {
        let fixture = try Fixture([
            .reply(200), .reply(200, ["x-oss-symlink-target": "a%20b%2F%E4%B8%AD", "x-oss-meta-A": "1"]),
            .reply(200, ["x-oss-symlink-target": "100%"]), .reply(200, [:]), .reply(200, [:]), .reply(200, [:]),
        ])
        try fixture.client.putLink(
            LinkRequest(key: key("l"), target: key("a b/中"), metadata: ObjectMetadata(user: ["a": [0x31]])),
            fixture.context)
        #expect(url(fixture) == "http://127.0.0.1:9000/photos/l?symlink")
        #expect(fixture.transport.sent[0].header("x-oss-symlink-target") == "a%20b%2F%E4%B8%AD")
        #expect(fixture.transport.sent[0].header("x-oss-meta-a") == "1")
        let link = try fixture.client.link(key("l"), fixture.context)
        #expect(link.target == key("a b/中") && link.user == ["a": [0x31]])
        #expect(try fixture.client.link(key("l"), fixture.context).target == key("100%"))
        #expect(
            failure { () throws(ObjectStoreError) in try fixture.client.link(key("l"), fixture.context) }?.kind
                == .unexpected)
    }

    @Test("a link that exists after a lost answer is ours where target and metadata are")
    func lostLink() throws {
        let exists = Step.reply(409, [:], errorDocument("FileAlreadyExists"))
        let request = LinkRequest(
            key: key("l"), target: key("t"), metadata: ObjectMetadata(user: ["a": [0x31]]), forbidOverwrite: true)
        func kind(_ steps: [Step]) throws -> ObjectStoreErrorKind? {
            let fixture = try Fixture(steps)
            return failure { () throws(ObjectStoreError) in
                try fixture.client.putLink(request, fixture.context)
            }?.kind
        }
        let lost = Step.fail(.connectionLost)
        #expect(try kind([lost, exists, .reply(200, ["x-oss-symlink-target": "t", "x-oss-meta-a": "1"])]) == nil)
        #expect(
            try kind([lost, exists, .reply(200, ["x-oss-symlink-target": "u", "x-oss-meta-a": "1"])])
                == .alreadyExists)
        #expect(try kind([lost, exists, .reply(200, ["x-oss-symlink-target": "t"])]) == .alreadyExists)
        #expect(try kind([lost, exists, .reply(400, [:], errorDocument("NotSymlink"))]) == .alreadyExists)
        #expect(try kind([exists]) == .alreadyExists)
    }

    @Test("tags and access lists go out and come back as documents and words")
    func annotations() throws {
        let tags =
            "<Tagging><TagSet><Tag><Key>a&lt;</Key><Value>1</Value></Tag><Tag><Key>b</Key><Value/></Tag>"
            + "</TagSet></Tagging>"
        let fixture = try Fixture([
            .reply(200), .reply(200, [:], tags), .reply(204), .reply(200),
            .reply(
                200, [:],
                "<AccessControlPolicy><AccessControlList><Grant>public-read</Grant></AccessControlList>"
                    + "</AccessControlPolicy>"),
        ])
        let expected = [ObjectTag(key: Array("a<".utf8), value: [0x31]), ObjectTag(key: [0x62], value: [])]
        try fixture.client.putTags(expected, of: key("k"), fixture.context)
        #expect(
            text(fixture.transport.sent[0].body) == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                + tags.replacing(
                    "<Value/>", with: "<Value></Value>"))
        #expect(try fixture.client.tags(key("k"), fixture.context) == expected)
        try fixture.client.deleteTags(of: key("k"), fixture.context)
        #expect(fixture.transport.sent.map(\.request.method) == ["PUT", "GET", "DELETE"])
        try fixture.client.putACL(Array("private".utf8), of: key("k"), fixture.context)
        #expect(fixture.transport.sent[3].header("x-oss-object-acl") == "private")
        #expect(try fixture.client.acl(key("k"), fixture.context) == Array("public-read".utf8))
        #expect(url(fixture, 4) == "http://127.0.0.1:9000/photos/k?acl")
    }

    @Test("an answer that is no list of tags or access list is none")
    func notThose() throws {
        let fixture = try Fixture([Step](repeating: .reply(200, [:], "<html/>"), count: 20))
        #expect(
            failure { () throws(ObjectStoreError) in try fixture.client.tags(key("k"), fixture.context) }?.kind
                == .unexpected)
        #expect(
            failure { () throws(ObjectStoreError) in try fixture.client.acl(key("k"), fixture.context) }?.kind
                == .unexpected)
        #expect(
            failure { () throws(ObjectStoreError) in try fixture.client.usage(fixture.context) }?.kind
                == .unexpected)
    }

    @Test("restoring is begun, under way or done, by the status")
    func restore() throws {
        let fixture = try Fixture([
            .reply(202), .reply(409, [:], errorDocument("RestoreAlreadyInProgress")), .reply(200),
            .fail(.connectionLost), .reply(409, [:], errorDocument("RestoreAlreadyInProgress")),
        ])
        var request = RestoreRequest(key: key("k"), days: 3, tier: .bulk)
        #expect(try fixture.client.restore(request, fixture.context) == .begun)
        #expect(
            text(fixture.transport.sent[0].body) == "<?xml version=\"1.0\" encoding=\"UTF-8\"?><RestoreRequest>"
                + "<Days>3</Days><JobParameters><Tier>Bulk</Tier></JobParameters></RestoreRequest>")
        request.days = nil
        request.tier = nil
        #expect(try fixture.client.restore(request, fixture.context) == .inProgress)
        #expect(fixture.transport.sent[1].body == [])
        #expect(try fixture.client.restore(request, fixture.context) == .readable)
        #expect(try fixture.client.restore(request, fixture.context) == .inProgress)
    }

    @Test("how far restoring is stands in a header")
    func restoration() {
        func read(_ text: String) -> Restoration? { ReplyHeaders.restoration(Array(text.utf8)) }
        #expect(read("ongoing-request=\"true\"") == Restoration(isOngoing: true))
        #expect(
            read("ongoing-request=\"false\", expiry-date=\"Mon, 21 Sep 2026 14:13:20 GMT\"")
                == Restoration(isOngoing: false, expiry: WallTime(seconds: 1_790_000_000)))
        for other in ["", "ongoing-request=true", "ongoing-request=\"maybe\"", "\"true\""] {
            #expect(read(other) == nil)
        }
    }

    @Test("a delete marker is an absent object that says so, asked for by its own name too")
    func deleteMarkers() throws {
        let marked = ["x-oss-delete-marker": "true", "x-oss-version-id": "V9", "x-oss-request-id": "R"]
        let fixture = try Fixture([
            .reply(404, marked), .reply(405, ["x-oss-request-id": "R"]), .reply(405, ["x-oss-request-id": "R"]),
            .reply(404, ["x-oss-request-id": "R"]),
        ])
        let version = VersionID("V9".utf8)
        let plain = failure { () throws(ObjectStoreError) in try fixture.client.head(key("k"), fixture.context) }
        #expect(plain?.kind == .notFound && plain?.deleteMarker == version)
        let named = failure { () throws(ObjectStoreError) in
            try fixture.client.head(key("k"), version: version, fixture.context)
        }
        #expect(named?.kind == .notFound && named?.deleteMarker == version && named?.status == 405)
        #expect(url(fixture, 1) == "http://127.0.0.1:9000/photos/k?versionId=V9")
        let got = failure { () throws(ObjectStoreError) in
            try fixture.client.get(
                GetRequest(key: key("k"), version: version), into: CollectingReceiver(), fixture.context)
        }
        #expect(got?.kind == .notFound && got?.deleteMarker == version)
        let absent = failure { () throws(ObjectStoreError) in try fixture.client.head(key("k"), fixture.context) }
        #expect(absent?.kind == .notFound && absent?.deleteMarker == nil)
    }

    @Test("versions and delete markers keep their order, and a page says where the next begins")
    func versionPages() throws {
        let document = """
            <ListVersionsResult><DeleteMarker><Key>a%0A</Key><VersionId>V3</VersionId><IsLatest>true</IsLatest>\
            <LastModified>2026-09-21T14:13:20.000Z</LastModified></DeleteMarker><Version><Key>a%0A</Key>\
            <VersionId>null</VersionId><IsLatest>false</IsLatest><LastModified>2026-09-21T14:13:20.000Z</LastModified>\
            <ETag>"e"</ETag><Type>Appendable</Type><Size>5</Size><StorageClass>IA</StorageClass></Version>\
            <IsTruncated>true</IsTruncated><NextKeyMarker>a%0A</NextKeyMarker>\
            <NextVersionIdMarker>null</NextVersionIdMarker><EncodingType>url</EncodingType></ListVersionsResult>
            """
        let fixture = try Fixture([.reply(200, [:], document)] + [Step](repeating: .reply(200, [:], "<x/>"), count: 5))
        let request = VersionListRequest(
            prefix: Array("a".utf8), foldsDirectories: true,
            after: VersionMarker(key: key("a"), version: VersionID("V1".utf8)))
        let page = try fixture.client.listVersions(request, fixture.context)
        let time = WallTime(seconds: 1_790_000_000)
        let content = VersionRow.Content(
            size: 5, etag: ETag("\"e\"".utf8), type: .appendable, storageClass: Array("IA".utf8))
        #expect(
            page.rows == [
                VersionRow(
                    key: key("a\n"), version: VersionID("V3".utf8), isLatest: true, lastModified: time, content: nil),
                VersionRow(key: key("a\n"), version: .null, isLatest: false, lastModified: time, content: content),
            ])
        #expect(page.next == VersionMarker(key: key("a\n"), version: .null))
        #expect(
            url(fixture) == "http://127.0.0.1:9000/photos/?versions&encoding-type=url&max-keys=1000&prefix=a"
                + "&delimiter=%2F&key-marker=a&version-id-marker=V1")
        #expect(
            failure { () throws(ObjectStoreError) in try fixture.client.listVersions(request, fixture.context) }?.kind
                == .unexpected)
    }

    @Test("a bucket's numbers and its versioning are read, and a refusal is only that")
    func reports() throws {
        let fixture = try Fixture([
            .reply(
                200, [:],
                "<BucketStat><Storage>1600</Storage><ObjectCount>230</ObjectCount>"
                    + "<StandardStorage>7</StandardStorage><MultipartUploadCount>4</MultipartUploadCount></BucketStat>"),
            .reply(
                200, [:],
                "<BucketInfo><Bucket><Location>oss-cn-hangzhou</Location><StorageClass>IA</StorageClass>"
                    + "<Versioning>Suspended</Versioning></Bucket></BucketInfo>"),
            .reply(403, [:], errorDocument("AccessDenied")),
        ])
        #expect(try fixture.client.usage(fixture.context) == BucketUsage(bytes: 1600, objects: 230, uploads: 4))
        let description = try fixture.client.description(fixture.context)
        #expect(description.versioning == .suspended && description.storageClass == Array("IA".utf8))
        #expect(url(fixture, 0) == "http://127.0.0.1:9000/photos/?stat")
        #expect(url(fixture, 1) == "http://127.0.0.1:9000/photos/?bucketInfo")
        #expect(
            failure { () throws(ObjectStoreError) in try fixture.client.usage(fixture.context) }?.kind
                == .accessDenied)
    }
}
