import Encoding

/// The fields of an error document; all empty where it can't be read.
final class ErrorDocument: XMLHandler {
    private(set) var code: [UInt8] = []
    private(set) var message: [UInt8] = []
    private(set) var requestID: [UInt8] = []
    private(set) var ec: [UInt8] = []
    private(set) var endpoint: [UInt8] = []
    private(set) var serverTime: [UInt8] = []
    private var isError = false

    /// What `document` says, XML or JSON, as newer services answer: `{"Error":{"Code":…}}`, or `{"message":…}` beside a
    /// header that carries the code.
    ///
    /// - Parameter type: that header, `x-oss-error-type`; empty where there is none.
    static func read(_ document: [UInt8], type: [UInt8]) -> ErrorDocument {
        let isJSON = document.first { !" \r\n\t".utf8.contains($0) } == UInt8(ascii: "{")
        let fields = isJSON ? readJSON(document) : readXML(document)
        if fields.code.isEmpty { fields.code = type }
        return fields
    }

    private static func readJSON(_ document: [UInt8]) -> ErrorDocument {
        let fields = ErrorDocument()
        guard let value = JSONValue(parsing: document) else { return fields }
        guard let error = value["Error"] else {
            fields.message = bytes(value, "message")
            return fields
        }
        fields.code = bytes(error, "Code")
        fields.message = bytes(error, "Message")
        fields.requestID = bytes(error, "RequestId")
        fields.ec = bytes(error, "EC")
        fields.endpoint = bytes(error, "Endpoint")
        fields.serverTime = bytes(error, "ServerTime")
        return fields
    }

    private static func bytes(_ object: JSONValue, _ name: String) -> [UInt8] { Array((object[name]?.text ?? "").utf8) }

    private static func readXML(_ document: [UInt8]) -> ErrorDocument {
        let fields = ErrorDocument()
        do throws(XMLError) {
            try XMLReader.read(document, into: fields)
            return fields
        } catch {
            return ErrorDocument()
        }
    }

    func begin(_ name: XMLName, depth: Int) {
        if depth == 1 { isError = name == "Error" }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        guard depth == 2, isError, text.isIntact else { return }
        switch name {
        case "Code": code = text.bytes
        case "Message": message = text.bytes
        case "RequestId": requestID = text.bytes
        case "EC": ec = text.bytes
        case "Endpoint": endpoint = text.bytes
        case "ServerTime": serverTime = text.bytes
        default: break
        }
    }
}
