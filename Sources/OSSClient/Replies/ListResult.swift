import Encoding
import Instrumentation
import ObjectStore

/// A `ListBucketResult` document, version 2, as a page.
///
/// Texts are kept as they came until the end, as `EncodingType` may stand after what it is about.
final class ListResult: XMLHandler {
    /// What the document lacks or has too much of; for logs.
    struct Malformed: Error {
        var message: String
    }

    private struct Row {
        var key: XMLText?
        var size: [UInt8] = []
        var etag: [UInt8] = []
        var lastModified: [UInt8] = []
        var type: [UInt8] = []
        var storageClass: [UInt8] = []
    }

    private var isResult = false
    private var rows: [Row] = []
    private var row = Row()
    private var isInRow = false
    private var prefixes: [XMLText] = []
    private var isInPrefixes = false
    private var encoding: [UInt8] = []
    private var isTruncated: [UInt8] = []
    private var next: XMLText?

    /// Reads a document; throws `Malformed` where it isn't one or lacks what a page needs.
    static func page(_ document: [UInt8], serverDate: WallTime?) throws(Malformed) -> ListPage {
        let result = ListResult()
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            throw Malformed(message: "the listing is not well-formed XML (\(error))")
        }
        return try result.page(serverDate: serverDate)
    }

    func begin(_ name: XMLName, depth: Int) {
        switch depth {
        case 1: isResult = name == "ListBucketResult"
        case 2:
            isInRow = isResult && name == "Contents"
            isInPrefixes = isResult && name == "CommonPrefixes"
            if isInRow { row = Row() }
        default: break
        }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        switch depth {
        case 3 where isInRow: field(name, text)
        case 3 where isInPrefixes:
            if name == "Prefix" { prefixes.append(text) }
        case 2 where isInRow:
            rows.append(row)
            isInRow = false
        case 2 where isResult && !isInPrefixes:
            switch name {
            case "EncodingType": encoding = text.intact
            case "IsTruncated": isTruncated = text.intact
            case "NextContinuationToken": next = text
            default: break
            }
        case 2: isInPrefixes = false
        default: break
        }
    }

    private func field(_ name: XMLName, _ text: XMLText) {
        switch name {
        case "Key": row.key = text
        case "Size": row.size = text.intact
        case "ETag": row.etag = text.intact
        case "LastModified": row.lastModified = text.intact
        case "Type": row.type = text.intact
        case "StorageClass": row.storageClass = text.intact
        default: break
        }
    }

    private func page(serverDate: WallTime?) throws(Malformed) -> ListPage {
        guard isResult else { throw Malformed(message: "the answer is no listing") }
        let isEncoded = encoding == Array("url".utf8)
        var page = ListPage(rows: [], serverDate: serverDate)
        page.rows.reserveCapacity(rows.count)
        for row in rows { page.rows.append(try Self.listRow(row, isEncoded: isEncoded)) }
        for prefix in prefixes { page.commonPrefixes.append(ObjectKey(try Self.decoded(prefix, isEncoded))) }
        switch isTruncated {
        case Array("true".utf8):
            guard let next, !next.bytes.isEmpty else {
                throw Malformed(message: "the listing goes on and doesn't say where")
            }
            page.next = ContinuationToken(try Self.decoded(next, isEncoded))
        case Array("false".utf8): page.next = nil
        default: throw Malformed(message: "the listing doesn't say whether it goes on")
        }
        return page
    }

    private static func listRow(_ row: Row, isEncoded: Bool) throws(Malformed) -> ListRow {
        guard let text = row.key else { throw Malformed(message: "the listing has a row without a key") }
        guard let size = ReplyHeaders.number(row.size).flatMap({ Int64(exactly: $0) }) else {
            throw Malformed(message: "the listing has a row whose size is no number")
        }
        guard let lastModified = WallTime(iso8601: row.lastModified) else {
            throw Malformed(message: "the listing has a row whose time is none")
        }
        return ListRow(
            key: ObjectKey(try decoded(text, isEncoded)), size: size, etag: ETag(row.etag),
            lastModified: lastModified, type: ReplyHeaders.objectType(row.type), storageClass: row.storageClass)
    }

    /// A name of a listing; throws where it can't be read.
    static func decoded(_ text: XMLText, _ isEncoded: Bool) throws(Malformed) -> [UInt8] {
        guard let bytes = ReplyNames.decoded(text, isEncoded) else {
            throw Malformed(message: "the listing has a name that XML can't carry, or a broken escape")
        }
        return bytes
    }
}

/// Names in documents, as they come with and without `encoding-type=url`.
enum ReplyNames {
    /// The name's bytes; nil where the document couldn't carry them, or an escape is broken.
    static func decoded(_ text: XMLText, _ isEncoded: Bool) -> [UInt8]? {
        guard text.isIntact else { return nil }
        guard isEncoded else { return text.bytes }
        // A plus of the key itself always comes as %2B, so a bare one can only be a blank.
        return PercentEncoding.decode(text.bytes, plusIsSpace: true)
    }
}

/// The result of a copy, of an object or a part.
final class CopyResult: XMLHandler {
    private(set) var etag: [UInt8] = []
    private(set) var lastModified: WallTime?
    private let root: StaticString
    private var isResult = false

    private init(root: StaticString) { self.root = root }

    /// Nil where the document isn't one under `root`, or tells no ETag.
    static func read(_ document: [UInt8], root: StaticString) -> CopyResult? {
        let result = CopyResult(root: root)
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            return nil
        }
        return result.isResult && !result.etag.isEmpty ? result : nil
    }

    func begin(_ name: XMLName, depth: Int) {
        if depth == 1 { isResult = name == root }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        guard depth == 2, isResult, text.isIntact else { return }
        switch name {
        case "ETag": etag = text.bytes
        case "LastModified": lastModified = WallTime(iso8601: text.bytes)
        default: break
        }
    }
}
