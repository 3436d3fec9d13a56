import Foundation
import FuzzSupport
import Testing

/// The corpus of each fuzz target, without libFuzzer: a regression test, and the proof that the targets compile.
@Suite(.serialized) struct CorpusTests {
    private static let names = [
        XMLReplies.name, Headers.name, JSONReplies.name, Files.name, Options.name, ServerRequests.name,
    ]

    private static func finding(_ name: String, _ input: [UInt8], isPlanted: Bool) -> Finding? {
        do throws(Finding) {
            switch name {
            case XMLReplies.name: try XMLReplies.examine(input, isPlanted: isPlanted)
            case Headers.name: try Headers.examine(input, isPlanted: isPlanted)
            case JSONReplies.name: try JSONReplies.examine(input, isPlanted: isPlanted)
            case Files.name: try Files.examine(input, isPlanted: isPlanted)
            case Options.name: try Options.examine(input, isPlanted: isPlanted)
            case ServerRequests.name: try ServerRequests.examine(input, isPlanted: isPlanted)
            default: throw Finding("there is no target \(name)")
            }
            return nil
        } catch {
            return error
        }
    }

    private static func inputs(_ name: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Corpus/\(name)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { (name: $0.lastPathComponent, bytes: Array(try Data(contentsOf: $0))) }
    }

    @Test("every input of the corpus keeps what its target asks for", arguments: names)
    func corpus(_ name: String) throws {
        defer { ServerBench.cleanUp() }
        let inputs = try Self.inputs(name)
        // A handful would hardly be a start for a run.
        #expect(inputs.count >= 12)
        for input in inputs {
            let finding = Self.finding(name, input.bytes, isPlanted: false)
            #expect(finding == nil, "\(input.name): \(finding?.message ?? "")")
        }
    }

    @Test("no input of the corpus finds the planted fault, which a run has to find by itself", arguments: names)
    func plant(_ name: String) throws {
        defer { ServerBench.cleanUp() }
        for input in try Self.inputs(name) {
            #expect(Self.finding(name, input.bytes, isPlanted: true) != .planted, "\(input.name)")
        }
    }
}
