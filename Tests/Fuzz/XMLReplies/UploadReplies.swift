import Encoding
import FuzzSupport
import ObjectStore

@testable import OSSClient

/// The documents of uploads in parts: what they say is written again and must be read as the same.
enum UploadReplies {
    static func examine(_ input: [UInt8]) throws(Finding) {
        try examineParts(input)
        try examineUploads(input)
        let elements: [(StaticString, StaticString)] = [
            ("InitiateMultipartUploadResult", "UploadId"), ("CompleteMultipartUploadResult", "ETag"),
        ]
        for (root, element) in elements {
            guard let text = ResultElement.read(input, root: root, element: element) else { continue }
            try require(!text.isEmpty, "an element without text is one")
            var xml = XMLWriter()
            xml.element(root) { $0.element(element, text) }
            let again = ResultElement.read(xml.bytes, root: root, element: element)
            try requireEqual(again, text, "\(element) is another one when it is read again")
        }
    }

    private static func examineParts(_ input: [UInt8]) throws(Finding) {
        guard let page = try? PartListing.page(input, after: nil) else { return }
        for part in page.parts {
            try require((1...10_000).contains(part.number.value) && part.size >= 0, "part \(part)")
            try require(!part.etag.bytes.isEmpty, "a part without an ETag")
        }
        var xml = XMLWriter()
        xml.element("ListPartsResult") { xml in
            xml.element("IsTruncated", page.next == nil ? "false".utf8 : "true".utf8)
            if let next = page.next { xml.element("NextPartNumberMarker", String(next.value).utf8) }
            for part in page.parts {
                xml.element("Part") { xml in
                    xml.element("PartNumber", String(part.number.value).utf8)
                    xml.element("ETag", part.etag.bytes)
                    xml.element("Size", String(part.size).utf8)
                    if let crc = part.crc64 { xml.element("HashCrc64ecma", String(crc).utf8) }
                }
            }
        }
        let again = try? PartListing.page(xml.bytes, after: nil)
        try requireEqual(again, page, "a listing of parts is another one when it is read again")
        if let next = page.next {
            let same = try? PartListing.page(input, after: next)
            try require(same == nil, "a listing of parts goes on where it began")
        }
    }

    private static func examineUploads(_ input: [UInt8]) throws(Finding) {
        guard let page = try? UploadListing.page(input, after: nil, serverDate: nil) else { return }
        var xml = XMLWriter()
        xml.element("ListMultipartUploadsResult") { xml in
            xml.element("EncodingType", "url".utf8)
            xml.element("IsTruncated", page.next == nil ? "false".utf8 : "true".utf8)
            if let next = page.next {
                xml.element("NextKeyMarker", PercentEncoding.encode(next.key.bytes))
                xml.element("NextUploadIdMarker", next.id.bytes)
            }
            for upload in page.uploads {
                xml.element("Upload") { xml in
                    xml.element("Key", PercentEncoding.encode(upload.address.key.bytes))
                    xml.element("UploadId", upload.address.id.bytes)
                    xml.element("Initiated", XMLReplies.time(upload.initiated))
                }
            }
        }
        let again = try? UploadListing.page(xml.bytes, after: nil, serverDate: nil)
        try requireEqual(again, page, "a listing of uploads is another one when it is read again")
    }
}
