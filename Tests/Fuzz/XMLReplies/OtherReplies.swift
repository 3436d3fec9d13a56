import Encoding
import FuzzSupport
import HTTPTransport
import ObjectStore

@testable import OSSClient

/// Deletions, versions, tags, and single elements: what a document says is written again and must be read as the same.
enum OtherReplies {
    static func examine(_ input: [UInt8]) throws(Finding) {
        try examineDeletions(input)
        try examineVersions(input)
        try examineTags(input)
        guard let values = ReplyFields.read(input, root: "AccessControlPolicy", ["Grant", "ID"]) else { return }
        var xml = XMLWriter()
        xml.element("AccessControlPolicy") { xml in
            if let grant = values[0] { xml.element("Grant", grant) }
            if let id = values[1] { xml.element("Owner") { $0.element("ID", id) } }
        }
        let again = ReplyFields.read(xml.bytes, root: "AccessControlPolicy", ["Grant", "ID"])
        try requireEqual(again, values, "elements are others when they are read again")
    }

    private static func examineDeletions(_ input: [UInt8]) throws(Finding) {
        guard let keys = DeleteResult.keys(input) else { return }
        var xml = XMLWriter()
        xml.element("DeleteResult") { xml in
            xml.element("EncodingType", "url".utf8)
            for key in keys { xml.element("Deleted") { $0.element("Key", PercentEncoding.encode(key.bytes)) } }
        }
        try requireEqual(DeleteResult.keys(xml.bytes), keys, "deleted keys are others when they are read again")
    }

    private static func examineVersions(_ input: [UInt8]) throws(Finding) {
        guard let page = try? VersionList.page(input) else { return }
        var xml = XMLWriter()
        xml.element("ListVersionsResult") { xml in
            xml.element("EncodingType", "url".utf8)
            xml.element("IsTruncated", page.next == nil ? "false".utf8 : "true".utf8)
            if let next = page.next {
                xml.element("NextKeyMarker", PercentEncoding.encode(next.key.bytes))
                if let version = next.version { xml.element("NextVersionIdMarker", version.bytes) }
            }
            for row in page.rows {
                xml.element(row.content == nil ? "DeleteMarker" : "Version") { write(row, to: &$0) }
            }
            for prefix in page.commonPrefixes {
                xml.element("CommonPrefixes") { $0.element("Prefix", PercentEncoding.encode(prefix.bytes)) }
            }
        }
        let again = try? VersionList.page(xml.bytes)
        try requireEqual(again, page, "a listing of versions is another one when it is read again")
    }

    private static func write(_ row: VersionRow, to xml: inout XMLWriter) {
        xml.element("Key", PercentEncoding.encode(row.key.bytes))
        xml.element("VersionId", row.version.bytes)
        xml.element("IsLatest", row.isLatest ? "true".utf8 : "false".utf8)
        xml.element("LastModified", XMLReplies.time(row.lastModified))
        guard let content = row.content else { return }
        xml.element("ETag", content.etag.bytes)
        xml.element("Type", XMLReplies.word(content.type).utf8)
        xml.element("Size", String(content.size).utf8)
        xml.element("StorageClass", content.storageClass)
    }

    private static func examineTags(_ input: [UInt8]) throws(Finding) {
        guard let tags = Tagging.tags(input) else { return }
        let document = Tagging.document(tags)
        var bytes = [UInt8](repeating: 0, count: Int(document.count))
        let count = bytes.withUnsafeMutableBytes { document.copy(from: 0, into: $0) }
        try require(count == bytes.count, "a document of \(bytes.count) bytes gives \(count)")
        try requireEqual(Tagging.tags(bytes), tags, "tags are others when they are read again")
    }
}
