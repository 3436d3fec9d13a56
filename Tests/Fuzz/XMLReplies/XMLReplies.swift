import Encoding
import FuzzSupport
import Instrumentation
import ObjectStore

@testable import OSSClient

/// The service's documents: an input is one, and each parser gets it.
enum XMLReplies: FuzzTarget {
    static let name = "xml-replies"

    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        try XMLEvents.examine(input)
        try examineListing(input, isPlanted: isPlanted)
        try examineCopy(input)
        try UploadReplies.examine(input)
        try OtherReplies.examine(input)
        try ErrorAnswers.examine(input)
    }

    // What a document says is written again, in the form that the service uses, and must be read as the same.
    private static func examineListing(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        guard let page = try? ListResult.page(input, serverDate: nil) else { return }
        for row in page.rows { try require(row.size >= 0, "a negative size: \(row.size)") }
        try require(!(page.next?.bytes.isEmpty ?? false), "a listing goes on at no token")
        guard let again = try? ListResult.page(document(page), serverDate: nil) else {
            throw Finding("a listing can't be read again: \(page)")
        }
        try requireEqual(again, page, "a listing is another one when it is read again")
        guard isPlanted else { return }
        // 39 bytes: the longest in the corpus.
        let longest = page.rows.map(\.etag.bytes.count).max() ?? 0
        try throwPlanted(ifAll: (39...43).map { longest > $0 })
    }

    private static func document(_ page: ListPage) -> [UInt8] {
        var xml = XMLWriter()
        xml.element("ListBucketResult") { xml in
            xml.element("EncodingType", "url".utf8)
            xml.element("IsTruncated", page.next == nil ? "false".utf8 : "true".utf8)
            if let next = page.next { xml.element("NextContinuationToken", PercentEncoding.encode(next.bytes)) }
            for row in page.rows {
                xml.element("Contents") { xml in
                    xml.element("Key", PercentEncoding.encode(row.key.bytes))
                    xml.element("LastModified", time(row.lastModified))
                    xml.element("ETag", row.etag.bytes)
                    xml.element("Type", word(row.type).utf8)
                    xml.element("Size", String(row.size).utf8)
                    xml.element("StorageClass", row.storageClass)
                }
            }
            for prefix in page.commonPrefixes {
                xml.element("CommonPrefixes") { $0.element("Prefix", PercentEncoding.encode(prefix.bytes)) }
            }
        }
        return xml.bytes
    }

    /// As documents have it, with all nanoseconds.
    static func time(_ time: WallTime) -> [UInt8] {
        let digits = String(1_000_000_000 + Int(time.nanoseconds)).utf8.dropFirst()
        return Array(time.iso8601Text.dropLast(4)) + digits + Array("Z".utf8)
    }

    static func word(_ type: ObjectType) -> String {
        switch type {
        case .normal: "Normal"
        case .multipart: "Multipart"
        case .appendable: "Appendable"
        case .symlink: "Symlink"
        case .other: ""
        }
    }

    private static func examineCopy(_ input: [UInt8]) throws(Finding) {
        for root: StaticString in ["CopyObjectResult", "CopyPartResult"] {
            guard let result = CopyResult.read(input, root: root) else { continue }
            var xml = XMLWriter()
            xml.element(root) { xml in
                xml.element("ETag", result.etag)
                if let time = result.lastModified { xml.element("LastModified", self.time(time)) }
            }
            let again = CopyResult.read(xml.bytes, root: root)
            try require(
                again?.etag == result.etag && again?.lastModified == result.lastModified,
                "a copy's result is another one when it is read again")
        }
    }
}
