import Testing

@testable import ObjectServer

@Suite struct TextTests {
    @Test("what XML reserves, and blanks that readers change, are escaped") func escapes() {
        #expect(
            XMLText.escape(Bytes("<a & 'b' \"c\">\r\n\té")).text
                == "&lt;a &amp; &apos;b&apos; &quot;c&quot;&gt;&#13;&#10;&#9;é")
    }

    @Test("XML carries all of Unicode but control characters, U+FFFE and U+FFFF") func carriable() {
        for text in ["", "é\u{301}", "\r\n\t", "\u{7F}", "\u{FFFD}", "\u{1F600}"] {
            #expect(XMLText.canCarry(Bytes(text.utf8)))
        }
        for text in ["\u{0}", "a\u{1}", "\u{B}", "\u{1F}", "\u{FFFE}", "x\u{FFFF}"] {
            #expect(!XMLText.canCarry(Bytes(text.utf8)))
        }
        #expect(!XMLText.canCarry([0x61, 0xFF]))
    }

    @Test("a document of deletes is read with its references, blanks, comments and sections") func readsDeletes() throws
    {
        let document = """
            <?xml version="1.0"?><!-- c --><Delete xmlns="urn:x"> <Quiet>true</Quiet>
            <Object><Key>a&amp;b &#13;&#x4E2D;</Key><VersionId/></Object><Object><Key><![CDATA[<c>]]></Key></Object></Delete>
            """
        let order = try DeleteOperations.Order(Bytes(document.utf8))
        #expect(order.isQuiet)
        #expect(order.items.map(\.key).compactMap(\.text) == ["a&b \r中", "<c>"])
    }

    @Test(
        "documents that aren't well-formed, or of no delete, are refused",
        arguments: [
            "", "<Delete>", "<Delete></Delete>", "<Delete><Object><Key>k</Object></Key></Delete>", "text",
            "<Delete><Object><Key>&bogus;</Key></Object></Delete>", "<Delete><Object><Key>&#1;</Key></Object></Delete>",
            "<Delete><Object><Key>\u{1}</Key></Object></Delete>", "<!DOCTYPE x><Delete/>", "<Delete", "<>", "</Delete>",
            "<Delete><Object><Key>&#xD800;</Key></Object></Delete>",
            "<Delete><Object><Key>a & b</Key></Object></Delete>",
            "<Delete><Object><Key><![CDATA[\u{1}]]></Key></Object></Delete>",
            "<Delete><Object><Key>a</Key></Object></Delete><Delete/>",
            "<Delete><Object><Key>&#+65;</Key></Object></Delete>",
            "<!--><Delete><Object><Key>a</Key></Object></Delete>",
        ])
    func refusesMalformed(_ document: String) {
        #expect(throws: ServiceError.self) { try DeleteOperations.Order(Bytes(document.utf8)) }
    }

    @Test("percent-encoding keeps only what OSS leaves bare, and comes back") func percent() {
        let every = Bytes(0...255)
        let encoded = PercentCoding.encode(every)
        #expect(PercentCoding.decode(encoded) == every)
        #expect(PercentCoding.encode(Bytes("a/b~c *'é")).text == "a%2Fb~c%20%2A%27%C3%A9")
        #expect(PercentCoding.encode(Bytes("a/b"), keepsSlash: true).text == "a/b")
        #expect(PercentCoding.decode(Bytes("%zz%4")).text == "%zz%4")
        #expect(PercentCoding.decode(Bytes("a+b")).text == "a+b")
        #expect(PercentCoding.decode(Bytes("a+b"), plusIsSpace: true).text == "a b")
    }

    @Test("dates are read and written in each of OSS's forms") func dates() {
        #expect(Dates.header(1_790_000_000).text == "Mon, 21 Sep 2026 14:13:20 GMT")
        #expect(Dates.xml(1_790_000_000).text == "2026-09-21T14:13:20.000Z")
        #expect(Dates.fromHeader(Bytes("Mon, 21 Sep 2026 14:13:20 GMT")) == 1_790_000_000)
        #expect(Dates.fromSigning(Bytes("20260921T141320Z")) == 1_790_000_000)
        for text in [
            "", "20260921T141320", "20260921T141320Zx", "x", "2026 921T141320Z", "20260931T141320Z", "+2026921T141320Z",
            "20260921T1413 5Z",
        ] {
            #expect(Dates.fromSigning(Bytes(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("base64 comes back, and what isn't base64 is none") func base64() {
        for length in 0..<10 {
            let bytes = Bytes(repeating: 0xA5, count: length)
            #expect(Digests.fromBase64(Digests.base64(bytes)) == bytes)
        }
        for text in ["A", "AB", "ABC", "A*CD", "ABCDE"] { #expect(Digests.fromBase64(Bytes(text.utf8)) == nil) }
    }
}
