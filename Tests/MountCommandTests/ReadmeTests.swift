import Foundation
import Testing

@testable import MountCommand

@Suite struct ReadmeTests {
    private static let begin = "<!-- options: made of the option table; a test compares -->\n"
    private static let end = "<!-- end of options -->"

    private func readme() throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
    }

    @Test("README's table of options is the one made of the option table")
    func table() throws {
        let text = try readme()
        let start = try #require(text.range(of: Self.begin)).upperBound
        let stop = try #require(text.range(of: Self.end)).lowerBound
        #expect(
            text[start..<stop] == Help.markdownTable, "the table should be:\n\(Help.markdownTable)")
    }

    @Test("every option stands in the help, once")
    func help() {
        for option in OptionTable.shown {
            let lines = Help.mount.split(separator: "\n").filter {
                $0.hasPrefix("  --\(option.name) ") || $0 == "  --\(option.name)"
            }
            #expect(lines.count == 1, "--\(option.name)")
        }
    }

    @Test("no line of the help is longer than a wide terminal")
    func width() {
        for line in Help.mount.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }
}
