import Encoding

/// Single elements of a small document, picked by name wherever they stand.
final class ReplyFields: XMLHandler {
    private let root: StaticString
    private let names: [StaticString]
    private var values: [[UInt8]?]
    private var isExpected = false

    private init(_ root: StaticString, _ names: [StaticString]) {
        self.root = root
        self.names = names
        values = names.map { _ in nil }
    }

    /// The text of the first element of each name, nil where there is none; nil where the document can't be read or is
    /// another one.
    static func read(_ document: [UInt8], root: StaticString, _ names: [StaticString]) -> [[UInt8]?]? {
        let fields = ReplyFields(root, names)
        do throws(XMLError) {
            try XMLReader.read(document, into: fields)
        } catch {
            return nil
        }
        return fields.isExpected ? fields.values : nil
    }

    func begin(_ name: XMLName, depth: Int) {
        if depth == 1 { isExpected = name == root }
    }

    func end(_ name: XMLName, depth: Int, text: XMLText) {
        guard isExpected, depth > 1, text.isIntact else { return }
        for (index, wanted) in names.enumerated() where name == wanted && values[index] == nil {
            values[index] = text.bytes
        }
    }
}
