import Encoding
import Instrumentation
import ObjectStore

/// A `ListVersionsResult` document as a page.
///
/// Texts are kept as they came until the end, as `EncodingType` may stand after what it is about.
final class VersionList: XMLHandler {
    private struct Row {
        var isMarker = false
        var key: XMLText?
        var version: [UInt8] = []
        var isLatest: [UInt8] = []
        var size: [UInt8] = []
        var etag: [UInt8] = []
        var lastModified: [UInt8] = []
        var type: [UInt8] = []
        var storageClass: [UInt8] = []
    }

    private var isResult = false
    private var rows: [Row] = []
    private var row: Row?
    private var prefixes: [XMLText] = []
    private var isInPrefixes = false
    private var encoding: [UInt8] = []
    private var isTruncated: [UInt8] = []
    private var nextKey: XMLText?
    private var nextVersion: [UInt8] = []

    /// Reads a document; throws where it isn't one or lacks what a page needs.
    static func page(_ document: [UInt8]) throws(ListResult.Malformed) -> VersionPage {
        let result = VersionList()
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            throw ListResult.Malformed(message: "the listing is not well-formed XML (\(error))")
        }
        return try result.page()
    }

    func begin(_ name: XMLName, depth: Int) {
        switch depth {
        case 1: isResult = name == "ListVersionsResult"
        case 2 where isResult:
            if name == "Version" { row = Row() }
            if name == "DeleteMarker" { row = Row(isMarker: true) }
            isInPrefixes = name == "CommonPrefixes"
        default: break
        }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        guard isResult else { return }
        switch depth {
        case 3 where row != nil: field(name, text)
        case 3 where isInPrefixes:
            if name == "Prefix" { prefixes.append(text) }
        case 2:
            if let row { rows.append(row) }
            row = nil
            isInPrefixes = false
            switch name {
            case "EncodingType": encoding = text.intact
            case "IsTruncated": isTruncated = text.intact
            case "NextKeyMarker": nextKey = text
            case "NextVersionIdMarker": nextVersion = text.intact
            default: break
            }
        default: break
        }
    }

    private func field(_ name: XMLName, _ text: XMLText) {
        switch name {
        case "Key": row?.key = text
        case "VersionId": row?.version = text.intact
        case "IsLatest": row?.isLatest = text.intact
        case "Size": row?.size = text.intact
        case "ETag": row?.etag = text.intact
        case "LastModified": row?.lastModified = text.intact
        case "Type": row?.type = text.intact
        case "StorageClass": row?.storageClass = text.intact
        default: break
        }
    }

    private func page() throws(ListResult.Malformed) -> VersionPage {
        guard isResult else { throw ListResult.Malformed(message: "the answer is no listing of versions") }
        let isEncoded = encoding == Array("url".utf8)
        var page = VersionPage(rows: [])
        for row in rows { page.rows.append(try Self.versionRow(row, isEncoded)) }
        for prefix in prefixes { page.commonPrefixes.append(ObjectKey(try ListResult.decoded(prefix, isEncoded))) }
        switch isTruncated {
        case Array("true".utf8):
            guard let nextKey, !nextKey.bytes.isEmpty else {
                throw ListResult.Malformed(message: "the listing goes on and doesn't say where")
            }
            page.next = VersionMarker(
                key: ObjectKey(try ListResult.decoded(nextKey, isEncoded)),
                version: nextVersion.isEmpty ? nil : VersionID(nextVersion))
        case Array("false".utf8): break
        default: throw ListResult.Malformed(message: "the listing doesn't say whether it goes on")
        }
        return page
    }

    private static func versionRow(_ row: Row, _ isEncoded: Bool) throws(ListResult.Malformed) -> VersionRow {
        guard let text = row.key, !row.version.isEmpty else {
            throw ListResult.Malformed(message: "the listing has a row without a key or a version")
        }
        guard let lastModified = WallTime(iso8601: row.lastModified) else {
            throw ListResult.Malformed(message: "the listing has a row whose time is none")
        }
        var content: VersionRow.Content?
        if !row.isMarker {
            guard let size = ReplyHeaders.number(row.size).flatMap({ Int64(exactly: $0) }) else {
                throw ListResult.Malformed(message: "the listing has a row whose size is no number")
            }
            content = VersionRow.Content(
                size: size, etag: ETag(row.etag), type: ReplyHeaders.objectType(row.type),
                storageClass: row.storageClass)
        }
        return VersionRow(
            key: ObjectKey(try ListResult.decoded(text, isEncoded)), version: VersionID(row.version),
            isLatest: row.isLatest == Array("true".utf8), lastModified: lastModified, content: content)
    }
}
