/// One step through an XML document.
enum XMLEvent: Equatable {
    case start(Bytes)
    case end(Bytes)
    case text(Bytes)
}

/// What is wrong with a document; the request that carried it gets MalformedXML.
struct MalformedXML: Error {}

/// Reads the XML of request bodies: elements and text, with comments, declarations and attributes passed over. No
/// document type, no entities but the five, no namespaces: OSS's request bodies have none.
struct XMLReader {
    private let bytes: Bytes
    private var position = 0
    private var path: [Bytes] = []
    private var pendingEnd: Bytes?
    private var hasRoot = false

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// The next step, nil at the end of a complete document.
    mutating func next() throws(MalformedXML) -> XMLEvent? {
        if let name = pendingEnd {
            pendingEnd = nil
            path.removeLast()
            return .end(name)
        }
        while position < bytes.count {
            if bytes[position] != 0x3C {
                let text = try text()
                if path.isEmpty {
                    // Outside of the root stand only blanks, and a byte order mark.
                    let isBlank = text.allSatisfy { $0 <= 0x20 } || text == [0xEF, 0xBB, 0xBF]
                    if isBlank { continue }
                    throw MalformedXML()
                }
                return .text(text)
            }
            if starts("<?") {
                try skip("<?", past: "?>")
            } else if starts("<!--") {
                try skip("<!--", past: "-->")
            } else if starts("<![CDATA[") {
                let start = position + 9
                try skip("<![CDATA[", past: "]]>")
                let text = Bytes(bytes[start..<position - 3])
                guard !path.isEmpty, XMLText.canCarry(text) else { throw MalformedXML() }
                return .text(text)
            } else {
                return try tag()
            }
        }
        guard path.isEmpty else { throw MalformedXML() }
        return nil
    }

    private func starts(_ text: StaticString) -> Bool { Bytes(bytes[position...].prefix(9)).hasPrefix(text) }

    private mutating func skip(_ start: StaticString, past end: StaticString) throws(MalformedXML) {
        let mark = Bytes(end)
        position += start.utf8CodeUnitCount
        while position + mark.count <= bytes.count {
            if bytes[position..<position + mark.count].elementsEqual(mark) {
                position += mark.count
                return
            }
            position += 1
        }
        throw MalformedXML()
    }

    private mutating func tag() throws(MalformedXML) -> XMLEvent {
        guard let end = bytes[position...].firstIndex(of: 0x3E) else { throw MalformedXML() }
        var inside = bytes[(position + 1)..<end]
        position = end + 1
        if inside.first == 0x2F {
            let name = Bytes(inside.dropFirst()).trimmed
            guard path.popLast() == name else { throw MalformedXML() }
            return .end(name)
        }
        let isEmpty = inside.last == 0x2F
        if isEmpty { inside = inside.dropLast() }
        let name = Bytes(inside.prefix { $0 > 0x20 })
        guard let first = name.first, first != 0x21, !name.contains(0x3C), !path.isEmpty || !hasRoot else {
            throw MalformedXML()
        }
        hasRoot = true
        path.append(name)
        if isEmpty { pendingEnd = name }
        return .start(name)
    }

    private mutating func text() throws(MalformedXML) -> Bytes {
        let end = bytes[position...].firstIndex(of: 0x3C) ?? bytes.count
        var result: Bytes = []
        while position < end {
            if bytes[position] != 0x26 {
                result.append(bytes[position])
                position += 1
                continue
            }
            guard let mark = bytes[position..<end].firstIndex(of: 0x3B) else { throw MalformedXML() }
            result += try reference(Bytes(bytes[(position + 1)..<mark]))
            position = mark + 1
        }
        guard XMLText.canCarry(result) else { throw MalformedXML() }
        return result
    }

    private func reference(_ name: Bytes) throws(MalformedXML) -> Bytes {
        if name.isEqual(to: "amp") { return [0x26] }
        if name.isEqual(to: "lt") { return [0x3C] }
        if name.isEqual(to: "gt") { return [0x3E] }
        if name.isEqual(to: "quot") { return [0x22] }
        if name.isEqual(to: "apos") { return [0x27] }
        guard name.first == 0x23 else { throw MalformedXML() }
        let isHexadecimal = name.count > 1 && name[1] | 0x20 == 0x78
        // A sign before the digits would be read as well.
        guard let digits = Bytes(name.dropFirst(isHexadecimal ? 2 : 1)).text, digits.first != "+",
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number)
        else { throw MalformedXML() }
        return Bytes(String(Character(scalar)).utf8)
    }
}
