/// What may be a key.
enum ObjectKeyRules {
    static func check(_ key: Bytes, _ limits: ServerLimits) throws(ServiceError) {
        guard !key.isEmpty, key.count <= limits.keyBytes else {
            throw invalid("The length of object name must be between 1 and 1023 bytes.", key, ec: "0016-00000002")
        }
        guard key.isUTF8 else { throw invalid("The specified object is not valid UTF-8.", key, ec: "0016-00000004") }
        guard key.first != 0x2F, key.first != 0x5C else {
            throw invalid("The specified object is not valid.", key, ec: "0016-00000005")
        }
    }

    private static func invalid(_ message: StaticString, _ key: Bytes, ec: StaticString) -> ServiceError {
        ServiceError(400, "InvalidObjectName", message, ec: ec, details: [.init(name: "ObjectName", value: key)])
    }
}
