import Encoding
import HTTPTransport
import Instrumentation
import ObjectStore

/// What the headers of a successful answer tell.
enum ReplyHeaders {
    static let userMetadataPrefix = "x-oss-meta-"
    /// Those that travel with an object besides its type.
    static let contentHeaders = [
        "cache-control", "content-disposition", "content-encoding", "content-language", "expires",
    ]

    /// The object's state; nil where the answer lacks its version or time.
    ///
    /// - Parameter size: of the whole object, which the caller knows from Content-Length or Content-Range.
    static func info(_ head: HTTPResponseHead, size: Int64) -> ObjectInfo? {
        guard let etag = head.value(of: "ETag"), !etag.isEmpty,
            let lastModified = head.value(of: "Last-Modified").flatMap(WallTime.init(httpDate:))
        else { return nil }
        return ObjectInfo(
            size: size, etag: ETag(etag), lastModified: lastModified, crc64: crc64(head),
            type: objectType(head.value(of: "x-oss-object-type") ?? []),
            storageClass: head.value(of: "x-oss-storage-class") ?? [], metadata: metadata(head),
            encryption: encryption(head),
            taggingCount: head.value(of: "x-oss-tagging-count").flatMap(number).map { Int(clamping: $0) } ?? 0,
            version: version(head), restoration: head.value(of: "x-oss-restore").flatMap(restoration),
            appendPosition: appendPosition(head), serverDate: serverDate(head))
    }

    static func version(_ head: HTTPResponseHead) -> VersionID? {
        head.value(of: "x-oss-version-id").flatMap { $0.isEmpty ? nil : VersionID($0) }
    }

    /// The length of an appendable object, which is where the next append goes.
    static func appendPosition(_ head: HTTPResponseHead) -> Int64? {
        head.value(of: "x-oss-next-append-position").flatMap(number).flatMap { Int64(exactly: $0) }
    }

    /// `ongoing-request="true"`, or `ongoing-request="false", expiry-date="…"`; nil for any other form.
    static func restoration(_ value: [UInt8]) -> Restoration? {
        let parts = value.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].elementsEqual("ongoing-request=".utf8) else { return nil }
        let isOngoing = parts[1].elementsEqual("true".utf8)
        guard isOngoing || parts[1].elementsEqual("false".utf8) else { return nil }
        let hasExpiry = parts.count >= 5 && CanonicalForm.trimmed(Array(parts[2])) == Array(", expiry-date=".utf8)
        return Restoration(
            isOngoing: isOngoing, expiry: hasExpiry ? WallTime(httpDate: Array(parts[3])) : nil)
    }

    private static func encryption(_ head: HTTPResponseHead) -> ObjectEncryption? {
        guard let algorithm = head.value(of: "x-oss-server-side-encryption"), !algorithm.isEmpty else { return nil }
        return ObjectEncryption(
            algorithm: algorithm, keyID: head.value(of: "x-oss-server-side-encryption-key-id"),
            dataAlgorithm: head.value(of: "x-oss-server-side-data-encryption"))
    }

    static func serverDate(_ head: HTTPResponseHead) -> WallTime? {
        head.value(of: "Date").flatMap(WallTime.init(httpDate:))
    }

    static func crc64(_ head: HTTPResponseHead) -> UInt64? { head.value(of: "x-oss-hash-crc64ecma").flatMap(number) }

    static func contentLength(_ head: HTTPResponseHead) -> Int64? {
        head.value(of: "Content-Length").flatMap(number).flatMap { Int64(exactly: $0) }
    }

    static func objectType(_ word: [UInt8]) -> ObjectType {
        let types: [(String, ObjectType)] = [
            ("Normal", .normal), ("Multipart", .multipart), ("Appendable", .appendable), ("Symlink", .symlink),
        ]
        return types.first { word.elementsEqual($0.0.utf8) }?.1 ?? .other
    }

    static func metadata(_ head: HTTPResponseHead) -> ObjectMetadata {
        var metadata = ObjectMetadata(contentType: head.value(of: "Content-Type"))
        for header in head.headers {
            let name = header.name.lowercased()
            if name.hasPrefix(userMetadataPrefix) {
                metadata.user[String(name.dropFirst(userMetadataPrefix.count))] = header.value
            } else if contentHeaders.contains(name) {
                metadata.contentHeaders[name] = header.value
            }
        }
        return metadata
    }

    /// `bytes 5-9/20`: the first and last offset and the whole size; nil for any other form or order.
    static func contentRange(_ value: [UInt8]) -> (bytes: ByteRange, total: Int64)? {
        let unit = Array("bytes ".utf8)
        guard value.starts(with: unit) else { return nil }
        let parts = value[unit.count...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(Array(ends[0])).flatMap({ Int64(exactly: $0) }),
            let last = number(Array(ends[1])).flatMap({ Int64(exactly: $0) }),
            let total = number(Array(parts[1])).flatMap({ Int64(exactly: $0) }),
            first <= last, last < total
        else { return nil }
        return (first..<last + 1, total)
    }

    /// An unsigned decimal number; nil for anything else, and past 64 bits.
    static func number(_ digits: [UInt8]) -> UInt64? {
        // 20: the digits of 2^64.
        guard !digits.isEmpty, digits.count <= 20 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }
}
