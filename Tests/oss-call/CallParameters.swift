import Encoding
import Glibc
import ObjectStore
import Runtime
import TestSupport

/// The fields of a request or of an object in it, read by type; each reader throws `Misuse` where a field is missing or
/// of another type.
struct CallParameters: Hashable {
    private let fields: [String: JSONValue]

    init(_ fields: [String: JSONValue]) { self.fields = fields }

    /// Whether the field is there and not null.
    func has(_ name: String) -> Bool { fields[name].map { $0 != .null } ?? false }

    func text(_ name: String) throws -> String {
        guard case .string(let text)? = fields[name] else { throw Misuse("\(name) is text") }
        return text
    }

    func textIfGiven(_ name: String) throws -> String? { has(name) ? try text(name) : nil }

    func integer(_ name: String) throws -> Int64 {
        guard case .integer(let number)? = fields[name] else { throw Misuse("\(name) is a whole number") }
        return number
    }

    func integerIfGiven(_ name: String) throws -> Int64? { has(name) ? try integer(name) : nil }

    /// False where it isn't there.
    func flag(_ name: String) throws -> Bool {
        guard has(name) else { return false }
        guard case .bool(let flag)? = fields[name] else { throw Misuse("\(name) is true or false") }
        return flag
    }

    func bytes(_ name: String) throws -> [UInt8] { try Self.bytes(fields[name], name) }

    func bytesIfGiven(_ name: String) throws -> [UInt8]? { has(name) ? try bytes(name) : nil }

    func inner(_ name: String) throws -> CallParameters {
        guard case .object(let fields)? = fields[name] else { throw Misuse("\(name) is an object") }
        return CallParameters(fields)
    }

    func list(_ name: String) throws -> [JSONValue] {
        guard case .array(let values)? = fields[name] else { throw Misuse("\(name) is a list") }
        return values
    }

    func inners(_ name: String) throws -> [CallParameters] {
        try list(name).map { value in
            guard case .object(let fields) = value else { throw Misuse("\(name) is a list of objects") }
            return CallParameters(fields)
        }
    }

    /// An object of bytes by name; empty where it isn't there.
    func byteMap(_ name: String) throws -> [String: [UInt8]] {
        guard has(name) else { return [:] }
        let inner = try inner(name).fields
        var map: [String: [UInt8]] = [:]
        for (key, value) in inner { map[key] = try Self.bytes(value, key) }
        return map
    }

    static func bytes(_ value: JSONValue?, _ name: String) throws -> [UInt8] {
        guard case .string(let text)? = value, let bytes = Hexadecimal.decode(Array(text.utf8)) else {
            throw Misuse("\(name) is hexadecimal text")
        }
        return bytes
    }

    // MARK: - The contract's types

    func key(_ name: String = "key") throws -> ObjectKey { ObjectKey(try bytes(name)) }

    func metadata() throws -> ObjectMetadata {
        guard has("metadata") else { return ObjectMetadata() }
        let given = try inner("metadata")
        return ObjectMetadata(
            contentType: try given.bytesIfGiven("content_type"), contentHeaders: try given.byteMap("content_headers"),
            user: try given.byteMap("user"))
    }

    func properties() throws -> ObjectProperties {
        guard has("properties") else { return ObjectProperties() }
        let given = try inner("properties")
        return ObjectProperties(
            acl: try given.bytesIfGiven("acl"), tagging: given.has("tags") ? try given.tags() : [],
            storageClass: try given.bytesIfGiven("storage_class"))
    }

    func tags() throws -> [ObjectTag] {
        try inners("tags").map { ObjectTag(key: try $0.bytes("key"), value: try $0.bytes("value")) }
    }

    /// First offset and the one behind the last; nil where it isn't there.
    func range(_ name: String = "range") throws -> ByteRange? {
        guard has(name) else { return nil }
        let ends = try list(name)
        guard ends.count == 2, case .integer(let start) = ends[0], case .integer(let end) = ends[1], start <= end else {
            throw Misuse("\(name) has a first offset and an end")
        }
        return start..<end
    }

    func crc64(_ name: String = "crc64") throws -> UInt64? {
        guard let text = try textIfGiven(name) else { return nil }
        guard let crc = UInt64(text) else { throw Misuse("\(name) is a number in decimal text") }
        return crc
    }

    func upload() throws -> UploadAddress { UploadAddress(key: try key(), id: UploadID(try bytes("upload"))) }

    func part(_ name: String = "number") throws -> PartNumber {
        // As a program would: what is no number of a part isn't sent.
        guard let number = PartNumber(Int(clamping: try integer(name))) else {
            throw Misuse("\(name) is no part's number")
        }
        return number
    }

    /// The call's end: `milliseconds` from now, or a quarter of a minute.
    func context() throws -> RequestContext {
        RequestContext(deadline: .after(.milliseconds(try integerIfGiven("milliseconds") ?? 15_000)))
    }

    /// What stands in the file that `body` names.
    func body() throws -> BytesBody {
        let path = try text("body")
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Misuse("\(path) can't be read") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw Misuse("\(path) can't be read") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return BytesBody(bytes)
    }

    /// Puts bytes into the file that `out` names.
    func keep(_ bytes: [UInt8]) throws {
        let path = try text("out")
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Misuse("\(path) can't be written") }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Misuse("\(path) can't be written") }
            rest = rest.dropFirst(count)
        }
    }
}
