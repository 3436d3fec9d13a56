import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import Transfer

@Suite struct UploadSessionModelTests {
    static let settings: [SessionFixture.Setting] = [
        .init(isDirect: true, hasDisk: false), .init(isDirect: false, hasDisk: false),
        .init(isDirect: true, hasDisk: true), .init(isDirect: false, hasDisk: true),
        .init(isDirect: false, hasDisk: false, budgetBlocks: 16), .init(isDirect: true, hasDisk: true, partCount: 20),
    ]

    @Test(
        "random writes, truncations, reads and commits give the bytes that a plain array has, in memory and in the bucket",
        arguments: settings, [1, 2, 3, 4] as [UInt64])
    func random(_ setting: SessionFixture.Setting, seed: UInt64) throws {
        let fixture = try SessionFixture(setting)
        var generator = SeededGenerator(seed: seed)
        for step in 0..<300 {
            try act(fixture, step, &generator)
            for line in fixture.recorded.lines(from: .error) { Issue.record("step \(step): \(line)") }
        }
        try fixture.commit()
        compare(fixture.stored ?? [], fixture.model, "last commit")
        fixture.restart()
        #expect(fixture.leftovers() == [])
    }

    private func act(
        _ fixture: SessionFixture, _ step: Int, _ generator: inout SeededGenerator
    ) throws {
        let size = fixture.model.count
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<45:
            let bytes = generator.bytes(Int.random(in: 1...20_000, using: &generator))
            try fixture.write(bytes, at: size)
            if fixture.model.count > 400_000 { fixture.truncate(to: 1000) }
        case 45..<65:
            let bytes = generator.bytes(Int.random(in: 1...9000, using: &generator))
            try fixture.write(bytes, at: Int.random(in: 0...size, using: &generator))
        case 65..<68:
            try fixture.write(generator.bytes(100), at: size + Int.random(in: 1...60_000, using: &generator))
        case 68..<72: fixture.truncate(to: Int.random(in: 0...size, using: &generator))
        case 72..<74: fixture.truncate(to: size + Int.random(in: 1...30_000, using: &generator))
        case 74..<91:
            let lower = Int.random(in: 0...size, using: &generator)
            let upper = min(size, lower + Int.random(in: 0...30_000, using: &generator))
            compare(
                try fixture.read(lower..<upper), Array(fixture.model[lower..<upper]), "read of step \(step) at \(lower)"
            )
        case 91..<97:
            try fixture.commit()
            compare(fixture.stored ?? [], fixture.model, "commit of step \(step)")
        case 97: fixture.restart()
        default:
            compare(try fixture.read(0..<size), fixture.model, "read of step \(step)")
        }
    }

    /// Says where two arrays differ, as printing them would fill the screen.
    private func compare(_ found: [UInt8], _ wanted: [UInt8], _ what: String) {
        guard found != wanted else { return }
        #expect(found.count == wanted.count, "\(what)")
        let first = zip(found, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        #expect(first == nil, "\(what): the first difference is at this offset")
    }
}
