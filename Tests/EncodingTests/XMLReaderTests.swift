import Testing

@testable import Encoding

/// Notes what a reader tells, names by a list of those that the tests use.
private final class Recorder: XMLHandler {
    var events: [String] = []
    var texts: [XMLText] = []

    func begin(_ name: XMLName, depth: Int) { events.append("+\(word(name))\(depth)") }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        events.append("-\(word(name))\(depth)")
        texts.append(text)
    }

    private func word(_ name: XMLName) -> String {
        switch name {
        case "Root": "Root"
        case "Key": "Key"
        case "Row": "Row"
        default: "?"
        }
    }
}

@Suite struct XMLReaderTests {
    private func read(_ document: String) throws -> Recorder {
        let recorder = Recorder()
        try XMLReader.read(Array(document.utf8), into: recorder)
        return recorder
    }

    @Test("elements come in order with depth, by local name, whatever their namespace")
    func elements() throws {
        let recorder = try read(
            "<?xml version=\"1.0\"?><Root xmlns=\"urn:a\" xmlns:b='urn:b'>\n <b:Row><Key>x</Key></b:Row><Other/></Root>"
        )
        #expect(recorder.events == ["+Root1", "+Row2", "+Key3", "-Key3", "-Row2", "+?2", "-?2", "-Root1"])
        #expect(recorder.texts.map(\.bytes) == [[UInt8(ascii: "x")], [], [], []])
    }

    @Test("text is whole however the bytes are cut, with escapes, CDATA and blanks as meant")
    func pieces() throws {
        let document = Array("<Root><Key> a&amp;b&#13;&lt;<![CDATA[<c>&]]>é&#x4e2d; </Key></Root>".utf8)
        for size in 1...document.count {
            let recorder = Recorder()
            let reader = XMLReader(handler: recorder)
            for start in stride(from: 0, to: document.count, by: size) {
                try Array(document[start..<min(start + size, document.count)]).withUnsafeBytes { try reader.feed($0) }
            }
            try reader.finish()
            #expect(recorder.texts.first?.bytes == Array(" a&b\r<<c>&é中 ".utf8))
            #expect(recorder.texts.first?.isIntact == true)
        }
    }

    @Test("NFC and NFD of one name stay two")
    func normalisation() throws {
        let recorder = try read("<Root><Key>\u{E9}</Key><Key>e\u{301}</Key></Root>")
        #expect(recorder.texts.prefix(2).map(\.bytes) == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test("a document cut anywhere is refused")
    func truncated() {
        let document = Array("<Root><Row><Key>a</Key></Row></Root>".utf8)
        for length in 0..<document.count {
            #expect(throws: XMLError.malformed, "\(length)") {
                try XMLReader.read(Array(document[..<length]), into: Recorder())
            }
        }
    }

    @Test(
        "what isn't well-formed is refused",
        arguments: [
            "", " ", "x", "<Root>", "<Root></Row>", "<Root><Key></Root></Key>", "<Root/><Root/>", "<Root/>x",
            "<Root>&unknown;</Root>", "<Root a=1/>", "<Root><", "{\"Error\":{}}", "<Root>]]></Root>",
        ])
    func malformed(document: String) {
        #expect(throws: XMLError.malformed) { try read(document) }
    }

    @Test("a document type is refused before any entity counts")
    func doctype() {
        let bomb = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><Root>&b;</Root>"
        #expect(throws: XMLError.doctype) { try read(bomb) }
        #expect(throws: XMLError.doctype) { try read("<!DOCTYPE r SYSTEM \"http://127.0.0.1:1/x\"><Root/>") }
    }

    @Test("depth and size are bounded")
    func bounds() {
        let deep = String(repeating: "<Row>", count: 17) + String(repeating: "</Row>", count: 17)
        #expect(throws: XMLError.tooDeep) { try read(deep) }
        let allowed = String(repeating: "<Row>", count: 16) + String(repeating: "</Row>", count: 16)
        #expect(throws: Never.self) { try read(allowed) }
        let reader = XMLReader(handler: Recorder(), maximumBytes: 10)
        #expect(throws: XMLError.tooLarge) { try Array("<Root>12345".utf8).withUnsafeBytes { try reader.feed($0) } }
        #expect(throws: XMLError.tooLarge) { try reader.finish() }
    }

    @Test("a control character spoils its element and not the document", arguments: ["\u{1}", "&#1;", "&#x0;"])
    func control(character: String) throws {
        let recorder = try read("<Root><Key>a\(character)b</Key><Key>c</Key></Root>")
        #expect(recorder.texts.map(\.isIntact) == [false, true, true])
        #expect(recorder.texts[1].bytes == [UInt8(ascii: "c")])
    }

    @Test("bytes that aren't UTF-8 spoil their element, not the document, and no other passes with wrong bytes")
    func notUTF8() throws {
        for first in ["a", "é"] {
            let recorder = Recorder()
            let start = Array("<Root><Key>\(first)</Key><Key>a".utf8)
            try XMLReader.read(start + [0xFF] + Array("b</Key><Key>é</Key></Root>".utf8), into: recorder)
            #expect(recorder.texts[0] == XMLText(bytes: Array(first.utf8), isIntact: true))
            #expect(!recorder.texts[1].isIntact)
            #expect(!recorder.texts[2].isIntact || recorder.texts[2].bytes == Array("é".utf8))
        }
    }

    @Test(
        "a document that breaks off within an element is none, whatever encoding it claims to have",
        arguments: ["UTF-7", "GBK"])
    func brokenEncoding(encoding: String) {
        let start = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><Root><Key>a</Key><Key>b"
        let recorder = Recorder()
        do throws(XMLError) {
            try XMLReader.read(
                Array(start.utf8) + [UInt8](repeating: 0xFF, count: 60) + Array("</Key></Root>".utf8), into: recorder)
            #expect(recorder.events.last == "-Root1", "a part of a document was taken for the whole")
        } catch {
            #expect(error == .malformed)
        }
    }

    @Test("a document without an element is none, however its bytes come")
    func noElement() {
        let reader = XMLReader(handler: Recorder())
        #expect(throws: XMLError.malformed) {
            for piece: [UInt8] in [[0, 0, 0, UInt8(ascii: "<")], Array("/Key>".utf8)] {
                let outcome: Result<Void, XMLError> = piece.withUnsafeBytes { raw in
                    do throws(XMLError) { return .success(try reader.feed(raw)) } catch { return .failure(error) }
                }
                try outcome.get()
            }
            try reader.finish()
        }
    }

    @Test("of elements with bytes that aren't UTF-8 each is spoilt, the later ones too")
    func laterNotUTF8() throws {
        let parts: [[UInt8]] = [[0xEA, 0xEA], [0x61], [0xFF, 0xFF, 0x30], [0xC3, 0xA9]]
        let start = Array("<Key>".utf8)
        let end = Array("</Key>".utf8)
        let recorder = Recorder()
        let keys = parts.flatMap { start + $0 + end }
        try XMLReader.read(Array("<Root>".utf8) + keys + Array("</Root>".utf8), into: recorder)
        let intact = recorder.texts.filter(\.isIntact).map(\.bytes)
        #expect(!intact.contains(parts[0]) && !intact.contains(parts[2]))
        #expect(recorder.texts.count == 5)
    }
}

@Suite struct XMLWriterTests {
    @Test("markup and CR are escaped, so that a reader gives back the same bytes")
    func escapes() throws {
        var writer = XMLWriter()
        writer.element("Root") { writer in writer.element("Key", "a&<>\"'\r\n\té".utf8) }
        #expect(
            writer.bytes
                == Array(
                    ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Root><Key>a&amp;&lt;&gt;&quot;'&#13;\n\té"
                        + "</Key></Root>").utf8))
        let recorder = Recorder()
        try XMLReader.read(writer.bytes, into: recorder)
        #expect(recorder.texts.first?.bytes == Array("a&<>\"'\r\n\té".utf8))
    }

    @Test("control characters, noncharacters and broken UTF-8 are known as what XML can't carry")
    func carries() {
        #expect(XMLWriter.canCarry(Array("a\t\n\r é中".utf8)))
        #expect(!XMLWriter.canCarry([0x61, 0x01]))
        #expect(!XMLWriter.canCarry([0xFF]))
        #expect(!XMLWriter.canCarry(Array("\u{FFFE}".utf8)))
        #expect(!XMLWriter.canCarry(Array("x\u{FFFF}".utf8)))
        #expect(XMLWriter.canCarry(Array("\u{FFFD}".utf8)))
    }
}
