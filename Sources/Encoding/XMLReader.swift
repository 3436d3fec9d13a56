import CXML2
import Glibc

/// Why a document was not read to its end.
package enum XMLError: Error, Sendable, Hashable {
    /// Not well-formed, or it ended early.
    case malformed
    /// It has a document type declaration.
    case doctype
    /// Elements nest deeper than the reader's bound.
    case tooDeep
    /// More bytes than the reader's bound.
    case tooLarge
}

/// An element's local name; valid only inside the event that brought it.
package struct XMLName {
    fileprivate let text: UnsafePointer<CChar>

    package static func == (name: XMLName, other: StaticString) -> Bool {
        let length = strlen(name.text)
        return other.withUTF8Buffer { buffer in
            guard buffer.count == length, let base = buffer.baseAddress else { return buffer.count == length }
            return memcmp(name.text, base, length) == 0
        }
    }

    /// Lets names stand as cases of a `switch`.
    package static func ~= (other: StaticString, name: XMLName) -> Bool { name == other }
}

/// What was between an element's tags, where it had no elements inside.
package struct XMLText: Sendable, Hashable {
    package var bytes: [UInt8]
    /// False where the document held something that XML can't carry, so that these are not the bytes that were meant.
    package var isIntact: Bool

    /// The bytes that were meant; none where these aren't.
    package var intact: [UInt8] { isIntact ? bytes : [] }
}

/// Where a reader's events go, in the document's order, on the thread that feeds it.
package protocol XMLHandler: AnyObject {
    /// An element opens; the root's `depth` is 1.
    func begin(_ name: XMLName, depth: Int)

    /// It closes; `text` is what it held, empty for one that had elements inside.
    func end(_ name: XMLName, depth: Int, text: XMLText)
}

/// Reads a document as its bytes come, and tells a handler of elements and their text; attributes are passed over.
///
/// How the bytes are cut up changes nothing, unless they aren't UTF-8: these spoil their element, or, near the end of what
/// has come, the document.
///
/// One thread at a time. Once it has thrown it throws the same again and tells nothing more.
package final class XMLReader {
    /// 16: the services' documents have five levels.
    package static let maximumDepth = 16
    /// 16 MiB: a page of a thousand keys, each escaped to three times its 1023 bytes and named twice, has six.
    package static let maximumBytes = 16 << 20

    private let handler: any XMLHandler
    private let maximumBytes: Int
    private let events: UnsafeMutablePointer<cxml2_events>
    private var reader: OpaquePointer?
    private var depth = 0
    private var bytesRead = 0
    private var text: [UInt8] = []
    private var isIntact = true
    private var hasElementsInside = false
    private var hasRoot = false
    private var failure: XMLError?

    package init(handler: any XMLHandler, maximumBytes: Int = XMLReader.maximumBytes) {
        self.handler = handler
        self.maximumBytes = maximumBytes
        events = .allocate(capacity: 1)
        events.initialize(to: Self.makeEvents())
        reader = cxml2_reader_create(events, Unmanaged.passUnretained(self).toOpaque())
        if reader == nil { failure = .malformed }
    }

    deinit {
        cxml2_reader_destroy(reader)
        events.deinitialize(count: 1)
        events.deallocate()
    }

    /// Reads the next bytes.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws(XMLError) {
        if let failure { throw failure }
        bytesRead += bytes.count
        guard bytesRead <= maximumBytes else { throw fail(.tooLarge) }
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        try check(cxml2_reader_feed(reader, base.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), 0))
    }

    /// Says that no more bytes come; throws where the document is not complete.
    package func finish() throws(XMLError) {
        if let failure { throw failure }
        guard bytesRead > 0 else { throw fail(.malformed) }
        try check(cxml2_reader_feed(reader, "", 0, 1))
        // Where an encoding can't be read, or not any further, libxml2 just ends.
        guard hasRoot, depth == 0 else { throw fail(.malformed) }
    }

    /// Reads a whole document.
    package static func read(_ document: [UInt8], into handler: any XMLHandler) throws(XMLError) {
        let reader = XMLReader(handler: handler)
        let outcome: Result<Void, XMLError> = document.withUnsafeBytes { raw in
            do throws(XMLError) {
                try reader.feed(raw)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        try reader.finish()
    }

    private func fail(_ error: XMLError) -> XMLError {
        failure = error
        return error
    }

    private func check(_ outcome: Int32) throws(XMLError) {
        switch Int(outcome) {
        case Int(cxml2_ok): return
        case Int(cxml2_doctype): throw fail(.doctype)
        case Int(cxml2_stopped): throw fail(.tooDeep)
        default: throw fail(.malformed)
        }
    }

    private func begin(_ name: UnsafePointer<CChar>) {
        guard depth < Self.maximumDepth else {
            cxml2_reader_stop(reader)
            return
        }
        depth += 1
        hasRoot = true
        text.removeAll(keepingCapacity: true)
        isIntact = true
        hasElementsInside = false
        handler.begin(XMLName(text: name), depth: depth)
    }

    private func end(_ name: UnsafePointer<CChar>) {
        let content =
            hasElementsInside
            ? XMLText(bytes: [], isIntact: true) : XMLText(bytes: text, isIntact: isIntact && Self.isUTF8(text))
        handler.end(XMLName(text: name), depth: depth, text: content)
        depth -= 1
        text.removeAll(keepingCapacity: true)
        hasElementsInside = true
    }

    /// libxml2 tells of the first bytes that aren't UTF-8 by one of two errors, and of later ones not at all.
    private static func isUTF8(_ text: [UInt8]) -> Bool {
        text.allSatisfy { $0 < 0x80 } || String(validating: text, as: UTF8.self) != nil
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        if !hasElementsInside { text.append(contentsOf: bytes) }
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> XMLReader? {
        owner.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func makeEvents() -> cxml2_events {
        cxml2_events(
            begin: { owner, name in
                if let name { XMLReader.from(owner)?.begin(name) }
            },
            text: { owner, bytes, length in
                XMLReader.from(owner)?.append(UnsafeRawBufferPointer(start: bytes, count: length))
            },
            end: { owner, name in
                if let name { XMLReader.from(owner)?.end(name) }
            },
            damage: { owner in XMLReader.from(owner)?.isIntact = false })
    }
}
