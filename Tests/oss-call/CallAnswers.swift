import Encoding
import ObjectStore

// What the client gives, as JSON: bytes in hexadecimal, 64-bit checksums in decimal text, times in whole seconds.

extension JSONValue {
    static func hex(_ bytes: [UInt8]) -> JSONValue {
        .string(String(Hexadecimal.encode(bytes).map { Character(UnicodeScalar($0)) }))
    }

    static func crc(_ crc: UInt64?) -> JSONValue { crc.map { .string(String($0)) } ?? .null }

    static func map(_ map: [String: [UInt8]]) -> JSONValue { .object(map.mapValues { .hex($0) }) }

    static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

    /// The document in ASCII, on one line.
    var text: [UInt8] {
        switch self {
        case .null: Array("null".utf8)
        case .bool(let flag): Array((flag ? "true" : "false").utf8)
        case .integer(let number): Array(String(number).utf8)
        case .number(let number): Array(String(number).utf8)
        case .string(let text): Self.quoted(text)
        case .array(let values): [0x5B] + values.map(\.text).joined(separator: [0x2C]) + [0x5D]
        case .object(let fields):
            [0x7B]
                + fields.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + [0x3A] + $0.value.text }
                .joined(separator: [0x2C]) + [0x7D]
        }
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = [0x22]
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: bytes += [0x5C, UInt8(scalar.value)]
            case 0x20...0x7E: bytes.append(UInt8(scalar.value))
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    bytes += Array("\\u".utf8) + Array(String(repeating: "0", count: 4 - digits.count).utf8)
                    bytes += Array(digits.utf8)
                }
            }
        }
        return bytes + [0x22]
    }
}

extension ObjectInfo {
    var told: JSONValue {
        .object([
            "size": .integer(size), "etag": .hex(etag.bytes), "modified": .integer(lastModified.seconds),
            "crc64": .crc(crc64), "type": .string("\(type)"), "storage_class": .hex(storageClass),
            "content_type": metadata.contentType.map { .hex($0) } ?? .null,
            "content_headers": .map(metadata.contentHeaders), "user": .map(metadata.user),
            "tags": .count(taggingCount), "version": version.map { .hex($0.bytes) } ?? .null,
            "restoring": restoration.map { .bool($0.isOngoing) } ?? .null,
            "restored_until": restoration?.expiry.map { .integer($0.seconds) } ?? .null,
            "append_position": appendPosition.map { .integer($0) } ?? .null,
        ])
    }
}

extension WriteResult {
    var told: JSONValue { .object(["etag": .hex(etag.bytes), "crc64": .crc(crc64)]) }
}

extension PartResult {
    var told: JSONValue {
        .object([
            "number": .count(number.value), "etag": .hex(etag.bytes), "size": .integer(size), "crc64": .crc(crc64),
        ])
    }
}

extension ListPage {
    var told: JSONValue {
        .object([
            "rows": .array(
                rows.map { row in
                    .object([
                        "key": .hex(row.key.bytes), "size": .integer(row.size), "etag": .hex(row.etag.bytes),
                        "type": .string("\(row.type)"), "modified": .integer(row.lastModified.seconds),
                    ])
                }), "prefixes": .array(commonPrefixes.map { .hex($0.bytes) }),
            "next": next.map { .hex($0.bytes) } ?? .null,
        ])
    }
}

extension VersionPage {
    var told: JSONValue {
        .object([
            "rows": .array(
                rows.map { row in
                    .object([
                        "key": .hex(row.key.bytes), "version": .hex(row.version.bytes), "latest": .bool(row.isLatest),
                        "marker": .bool(row.content == nil), "size": row.content.map { .integer($0.size) } ?? .null,
                    ])
                }), "prefixes": .array(commonPrefixes.map { .hex($0.bytes) }),
            "next_key": next.map { .hex($0.key.bytes) } ?? .null,
            "next_version": next?.version.map { .hex($0.bytes) } ?? .null,
        ])
    }
}

extension UploadAddress {
    var told: JSONValue { .object(["key": .hex(key.bytes), "upload": .hex(id.bytes)]) }
}
