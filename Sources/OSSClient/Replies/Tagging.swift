import Encoding
import ObjectStore

/// A `Tagging` document, both ways.
final class Tagging: XMLHandler {
    private var isResult = false
    private var tags: [ObjectTag] = []
    private var tag = ObjectTag(key: [], value: [])
    private var isIntact = true

    /// Nil where the document isn't one, or holds a tag that can't be read.
    static func tags(_ document: [UInt8]) -> [ObjectTag]? {
        let result = Tagging()
        do throws(XMLError) {
            try XMLReader.read(document, into: result)
        } catch {
            return nil
        }
        return result.isResult && result.isIntact ? result.tags : nil
    }

    static func document(_ tags: [ObjectTag]) -> DocumentBody {
        var xml = XMLWriter()
        xml.element("Tagging") { xml in
            xml.element("TagSet") { xml in
                for tag in tags {
                    xml.element("Tag") { xml in
                        xml.element("Key", tag.key)
                        xml.element("Value", tag.value)
                    }
                }
            }
        }
        return DocumentBody(xml)
    }

    func begin(_ name: XMLName, depth: Int) {
        switch depth {
        case 1: isResult = name == "Tagging"
        case 3: tag = ObjectTag(key: [], value: [])
        default: break
        }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        guard isResult else { return }
        switch depth {
        case 4 where name == "Key":
            tag.key = text.bytes
            isIntact = isIntact && text.isIntact
        case 4 where name == "Value":
            tag.value = text.bytes
            isIntact = isIntact && text.isIntact
        case 3 where name == "Tag": tags.append(tag)
        default: break
        }
    }
}
