import Encoding
import HTTPTransport
import ObjectStore

extension RequestHeaders {
    /// What an object has besides bytes and metadata; what is left out is the bucket's to choose.
    static func properties(
        _ properties: ObjectProperties, _ state: CallState, withTags: Bool = true
    ) throws(AttemptFailure) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        func add(_ name: String, _ value: [UInt8]?) throws(AttemptFailure) {
            guard let value, !value.isEmpty else { return }
            headers.append(HTTPHeader(name, try checked(value, state)))
        }
        try add("x-oss-object-acl", properties.acl)
        try add("x-oss-storage-class", properties.storageClass)
        try add("x-oss-server-side-encryption", properties.encryption?.algorithm)
        try add("x-oss-server-side-encryption-key-id", properties.encryption?.keyID)
        try add("x-oss-server-side-data-encryption", properties.encryption?.dataAlgorithm)
        if withTags { try add("x-oss-tagging", tagging(properties.tagging)) }
        return headers
    }

    /// `key=value&key=value`, encoded as in a query.
    private static func tagging(_ tags: [ObjectTag]) -> [UInt8] {
        var text: [UInt8] = []
        for tag in tags {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            PercentEncoding.append(tag.key, to: &text)
            text.append(UInt8(ascii: "="))
            PercentEncoding.append(tag.value, to: &text)
        }
        return text
    }
}
