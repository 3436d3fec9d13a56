import Checksums
import Encoding
import ObjectStore
import Testing

@testable import OSSClient

@Suite struct DeleteManyTests {
    private func answer(_ keys: [String]) -> Step {
        let rows = keys.map { "<Deleted><Key>\($0)</Key></Deleted>" }.joined()
        return .reply(200, [:], "<DeleteResult><EncodingType>url</EncodingType>\(rows)</DeleteResult>")
    }

    private func delete(_ fixture: Fixture, _ keys: [ObjectKey]) -> ObjectStoreError? {
        failure { () throws(ObjectStoreError) in try fixture.client.deleteMany(keys, fixture.context) }
    }

    private func keys(_ names: [String]) -> [ObjectKey] { names.map { key($0) } }

    private let opening = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Delete><Quiet>false</Quiet>"

    @Test("keys go out escaped in one document with its digest")
    func document() throws {
        let fixture = try Fixture([answer(["a%26b", "line%0D%0Afeed", "%E4%B8%AD%2B"])])
        #expect(delete(fixture, keys(["a&b", "line\r\nfeed", "中+"])) == nil)
        let sent = try #require(fixture.transport.sent.first)
        #expect(sent.request.method == "POST")
        #expect(text(sent.request.url) == "http://127.0.0.1:9000/photos/?delete&encoding-type=url")
        #expect(
            text(sent.body) == opening
                + "<Object><Key>a&amp;b</Key></Object><Object><Key>line&#13;\nfeed</Key></Object>"
                + "<Object><Key>中+</Key></Object></Delete>")
        #expect(sent.header("Content-MD5") == text(Base64.encode(try Digest.md5(sent.body))))
        #expect(sent.header("Content-Type") == "application/xml")
    }

    @Test("what the answer leaves out is asked for again, and only that")
    func partial() throws {
        let fixture = try Fixture([answer(["a", "c"]), answer([]), answer(["b"])])
        #expect(delete(fixture, keys(["a", "b", "c"])) == nil)
        let rest = opening + "<Object><Key>b</Key></Object></Delete>"
        #expect(fixture.transport.sent.dropFirst().map { text($0.body) } == [rest, rest])
    }

    @Test("a key that is never deleted ends the call")
    func never() throws {
        let fixture = try Fixture([Step](repeating: answer(["a"]), count: 9))
        #expect(delete(fixture, keys(["a", "b"]))?.kind == .unavailable)
        #expect(fixture.transport.sent.count == 4)
    }

    @Test("an answer that is none, or silent, counts as nothing deleted")
    func noAnswer() throws {
        for step in [Step.reply(200, [:], ""), .reply(200, [:], "<html/>"), .fail(.connectionLost), .reply(500, [:])] {
            let fixture = try Fixture([step, answer(["a"])])
            #expect(delete(fixture, keys(["a"])) == nil)
            #expect(fixture.transport.sent.count == 2)
        }
    }

    @Test("a key in the answer that can't be read stands in nobody's way")
    func unreadable() throws {
        let fixture = try Fixture([answer(["%zz", "a"])])
        #expect(delete(fixture, keys(["a"])) == nil)
    }

    @Test("keys that XML can't carry are deleted one by one")
    func single() throws {
        let fixture = try Fixture([.reply(204), .reply(204), answer(["a"])])
        #expect(delete(fixture, [key("\u{1}"), key("a"), key("\u{FFFF}")]) == nil)
        #expect(fixture.transport.sent.map(\.request.method) == ["DELETE", "DELETE", "POST"])
    }

    @Test("more than a thousand keys, or two megabytes of them, are split; twice the same is once")
    func split() throws {
        let names = (0..<2001).map { "key\($0)" }
        let fixture = try Fixture([
            answer(Array(names[0..<1000])), answer(Array(names[1000..<2000])), answer(Array(names[2000...])),
        ])
        #expect(delete(fixture, keys(names + names)) == nil)
        #expect(fixture.transport.sent.count == 3)
        // Each quote takes six bytes.
        let quotes = (100..<1100).map { String(repeating: "\"", count: 1000) + "\($0)" }
        let large = try Fixture([.reply(403, [:], errorDocument("AccessDenied"))])
        #expect(delete(large, keys(quotes))?.kind == .accessDenied)
        let bytes = try #require(large.transport.sent.first).body.count
        #expect((1_900_000...2_000_100).contains(bytes))
    }

    @Test("a refusal of all is told")
    func refused() throws {
        let fixture = try Fixture([.reply(403, [:], errorDocument("AccessDenied"))])
        #expect(delete(fixture, keys(["a"]))?.kind == .accessDenied)
    }
}
