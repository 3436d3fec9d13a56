import Encoding
import FuzzSupport

/// The reader's events for a document, which depend neither on how its bytes are cut up nor on what bytes they are.
enum XMLEvents {
    struct Event: Equatable {
        var isEnd: Bool
        var depth: Int
        /// Of an end.
        var text: XMLText?
    }

    private final class Recorder: XMLHandler {
        var events: [Event] = []
        var depth = 0
        var isBalanced = true

        func begin(_ name: XMLName, depth: Int) {
            self.depth += 1
            if self.depth != depth { isBalanced = false }
            events.append(Event(isEnd: false, depth: depth, text: nil))
        }

        func end(_ name: XMLName, depth: Int, text: XMLText) {
            if self.depth != depth { isBalanced = false }
            self.depth -= 1
            events.append(Event(isEnd: true, depth: depth, text: text))
        }
    }

    static func examine(_ input: [UInt8]) throws(Finding) {
        let whole = try read([input[...]])
        // Bytes that aren't UTF-8 spoil an element or the document, and which depends on how they come.
        guard input.count > 1, String(validating: input, as: UTF8.self) != nil else { return }
        // One cut somewhere, and byte by byte where that is cheap.
        let cut = 1 + Int(Pieces.number(input) % UInt64(input.count - 1))
        try requireEqual(try read([input[..<cut], input[cut...]]), whole, "a cut at \(cut) changes a document")
        if input.count <= 256 {
            try requireEqual(try read(input.indices.map { input[$0...$0] }), whole, "bytes change a document")
        }
    }

    /// The events; nil for a document that is refused.
    private static func read(_ pieces: [ArraySlice<UInt8>]) throws(Finding) -> [Event]? {
        let recorder = Recorder()
        let reader = XMLReader(handler: recorder)
        var isRead = true
        do throws(XMLError) {
            for piece in pieces {
                let outcome: Result<Void, XMLError> = piece.withUnsafeBytes { raw in
                    do throws(XMLError) { return .success(try reader.feed(raw)) } catch { return .failure(error) }
                }
                try outcome.get()
            }
            try reader.finish()
        } catch {
            isRead = false
        }
        try require(recorder.isBalanced, "elements end at another depth than they began")
        for event in recorder.events {
            try require((1...XMLReader.maximumDepth).contains(event.depth), "an element at depth \(event.depth)")
            guard isRead, let text = event.text, text.isIntact else { continue }
            try require(XMLWriter.canCarry(text.bytes), "text that no document can carry: \(text.bytes)")
        }
        guard isRead else { return nil }
        try require(recorder.depth == 0, "a whole document leaves elements open")
        return recorder.events
    }
}
