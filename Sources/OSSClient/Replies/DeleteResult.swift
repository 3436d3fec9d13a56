import Encoding
import ObjectStore

/// A `DeleteResult` document: what was deleted.
final class DeleteResult: XMLHandler {
    private var isResult = false
    private var isInRow = false
    private var encoding: [UInt8] = []
    private var keys: [XMLText] = []

    /// Nil where the document isn't one. A key that can't be read is left out, as if it were not there.
    static func keys(_ document: [UInt8]) -> Set<ObjectKey>? {
        let result = DeleteResult()
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            return nil
        }
        guard result.isResult else { return nil }
        let isEncoded = result.encoding == Array("url".utf8)
        return Set(result.keys.compactMap { ReplyNames.decoded($0, isEncoded).map { ObjectKey($0) } })
    }

    func begin(_ name: XMLName, depth: Int) {
        switch depth {
        case 1: isResult = name == "DeleteResult"
        case 2: isInRow = isResult && name == "Deleted"
        default: break
        }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        switch depth {
        case 3 where isInRow && name == "Key": keys.append(text)
        case 2 where isResult && name == "EncodingType": encoding = text.intact
        default: break
        }
    }
}
