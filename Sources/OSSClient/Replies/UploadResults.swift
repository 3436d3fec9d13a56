import Encoding
import Instrumentation
import ObjectStore

/// One element of a small result.
final class ResultElement: XMLHandler {
    private let root: StaticString
    private let element: StaticString
    private var isResult = false
    private var value: [UInt8]?

    private init(root: StaticString, element: StaticString) {
        self.root = root
        self.element = element
    }

    /// The text of `element` right under `root`; nil where it is empty or the document isn't such a result.
    static func read(_ document: [UInt8], root: StaticString, element: StaticString) -> [UInt8]? {
        let result = ResultElement(root: root, element: element)
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            return nil
        }
        return result.value
    }

    func begin(_ name: XMLName, depth: Int) {
        if depth == 1 { isResult = name == root }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        guard depth == 2, isResult, name == element, text.isIntact, !text.bytes.isEmpty else { return }
        value = text.bytes
    }
}

/// A document that is a list: elements of one name with fields in them, and a few others beside these.
private final class RowsDocument: XMLHandler {
    private let root: StaticString
    private let row: StaticString
    private let fields: [StaticString]
    private let heads: [StaticString]
    private var isResult = false
    private var isInRow = false
    /// The texts of `fields`, for each row.
    private(set) var rows: [[XMLText?]] = []
    /// The texts of `heads`.
    private(set) var headTexts: [XMLText?]

    private init(root: StaticString, row: StaticString, fields: [StaticString], heads: [StaticString]) {
        self.root = root
        self.row = row
        self.fields = fields
        self.heads = heads
        headTexts = Array(repeating: nil, count: heads.count)
    }

    static func read(
        _ document: [UInt8], root: StaticString, row: StaticString, fields: [StaticString], heads: [StaticString]
    ) throws(ListResult.Malformed) -> RowsDocument {
        let result = RowsDocument(root: root, row: row, fields: fields, heads: heads)
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            throw ListResult.Malformed(message: "the listing is not well-formed XML (\(error))")
        }
        guard result.isResult else { throw ListResult.Malformed(message: "the answer is no listing") }
        return result
    }

    func begin(_ name: XMLName, depth: Int) {
        if depth == 1 { isResult = name == root }
        guard depth == 2 else { return }
        isInRow = isResult && name == row
        if isInRow { rows.append(Array(repeating: nil, count: fields.count)) }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        if depth == 3, isInRow {
            if let index = fields.firstIndex(where: { name == $0 }) { rows[rows.count - 1][index] = text }
        } else if depth == 2, isResult {
            if !isInRow, let index = heads.firstIndex(where: { name == $0 }) { headTexts[index] = text }
            isInRow = false
        }
    }

    /// Whether more follow, as the head of that index says.
    func isTruncated(_ index: Int) throws(ListResult.Malformed) -> Bool {
        switch headTexts[index]?.intact {
        case Array("true".utf8): return true
        case Array("false".utf8): return false
        default: throw ListResult.Malformed(message: "the listing doesn't say whether it goes on")
        }
    }
}

/// A `ListPartsResult` document as a page.
enum PartListing {
    static func page(_ document: [UInt8], after: PartNumber?) throws(ListResult.Malformed) -> PartPage {
        let listing = try RowsDocument.read(
            document, root: "ListPartsResult", row: "Part", fields: ["PartNumber", "ETag", "Size", "HashCrc64ecma"],
            heads: ["IsTruncated", "NextPartNumberMarker"])
        var page = PartPage(parts: [])
        page.parts.reserveCapacity(listing.rows.count)
        for row in listing.rows { page.parts.append(try part(row)) }
        guard try listing.isTruncated(0) else { return page }
        let next = number(listing.headTexts[1]).flatMap { PartNumber(Int(clamping: $0)) }
        // One that doesn't get ahead would never end.
        guard let next, next.value > after?.value ?? 0 else {
            throw ListResult.Malformed(message: "the listing goes on and doesn't say where")
        }
        page.next = next
        return page
    }

    private static func part(_ row: [XMLText?]) throws(ListResult.Malformed) -> PartResult {
        guard let number = number(row[0]).flatMap({ PartNumber(Int(clamping: $0)) }) else {
            throw ListResult.Malformed(message: "the listing has a part without a number")
        }
        guard let etag = row[1], etag.isIntact, !etag.bytes.isEmpty else {
            throw ListResult.Malformed(message: "the listing has a part without an ETag")
        }
        guard let size = self.number(row[2]).flatMap({ Int64(exactly: $0) }) else {
            throw ListResult.Malformed(message: "the listing has a part whose size is no number")
        }
        return PartResult(number: number, etag: ETag(etag.bytes), size: size, crc64: self.number(row[3]))
    }

    private static func number(_ text: XMLText?) -> UInt64? { text.flatMap { ReplyHeaders.number($0.intact) } }
}

/// A `ListMultipartUploadsResult` document as a page.
enum UploadListing {
    static func page(
        _ document: [UInt8], after: UploadAddress?, serverDate: WallTime?
    ) throws(ListResult.Malformed) -> UploadPage {
        let listing = try RowsDocument.read(
            document, root: "ListMultipartUploadsResult", row: "Upload", fields: ["Key", "UploadId", "Initiated"],
            heads: ["IsTruncated", "EncodingType", "NextKeyMarker", "NextUploadIdMarker"])
        let isEncoded = listing.headTexts[1]?.intact == Array("url".utf8)
        var page = UploadPage(uploads: [], serverDate: serverDate)
        page.uploads.reserveCapacity(listing.rows.count)
        for row in listing.rows {
            guard let initiated = row[2].flatMap({ WallTime(iso8601: $0.intact) }) else {
                throw ListResult.Malformed(message: "the listing has an upload whose time is none")
            }
            page.uploads.append(UploadRow(address: try address(row[0], row[1], isEncoded), initiated: initiated))
        }
        guard try listing.isTruncated(0) else { return page }
        guard let key = listing.headTexts[2], !key.bytes.isEmpty else {
            throw ListResult.Malformed(message: "the listing goes on and doesn't say where")
        }
        // Without an id it goes on after all uploads of the key.
        let id = listing.headTexts[3]?.intact ?? []
        let next = UploadAddress(key: ObjectKey(try ListResult.decoded(key, isEncoded)), id: UploadID(id))
        guard next != after else { throw ListResult.Malformed(message: "the listing goes on where it began") }
        page.next = next
        return page
    }

    private static func address(
        _ key: XMLText?, _ id: XMLText?, _ isEncoded: Bool
    ) throws(ListResult.Malformed) -> UploadAddress {
        guard let key, let id, id.isIntact, !id.bytes.isEmpty else {
            throw ListResult.Malformed(message: "the listing lacks an upload's key or id")
        }
        return UploadAddress(key: ObjectKey(try ListResult.decoded(key, isEncoded)), id: UploadID(id.bytes))
    }
}
