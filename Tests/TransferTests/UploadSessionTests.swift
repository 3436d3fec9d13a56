import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import Transfer

@Suite struct UploadSessionTests {
    private static let direct = SessionFixture.Setting(isDirect: true, hasDisk: false, budgetBlocks: 64)
    private static let hidden = SessionFixture.Setting(isDirect: false, hasDisk: false, budgetBlocks: 64)

    private func stream(_ fixture: SessionFixture, count: Int = 200_000, seed: UInt64 = 1) throws {
        var generator = SeededGenerator(seed: seed)
        for start in stride(from: 0, to: count, by: 5000) { try fixture.write(generator.bytes(5000), at: start) }
    }

    @Test("a stream that was written in order goes out in parts, and is completed under its key without a copy")
    func directStream() throws {
        let fixture = try SessionFixture(Self.direct)
        try stream(fixture)
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
        #expect(fixture.memory.requests(.copy) == 0 && fixture.memory.requests(.put) == 0)
        #expect(fixture.memory.requests(.initiateUpload) == 1 && fixture.memory.requests(.completeUpload) == 1)
    }

    @Test("a rewritten header costs nothing, as the first bytes are sent last")
    func header() throws {
        let fixture = try SessionFixture(Self.direct)
        try stream(fixture)
        let parts = fixture.memory.requests(.uploadPart)
        try fixture.write([UInt8](repeating: 7, count: 4000), at: 0)
        #expect(fixture.stored == nil)
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
        #expect(fixture.memory.requests(.uploadPart) <= parts + 4)
        #expect(fixture.memory.requests(.copy) == 0)
    }

    @Test("a hidden stream is copied to its key once, and the hidden object goes")
    func hiddenStream() throws {
        let fixture = try SessionFixture(Self.hidden)
        try stream(fixture)
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
        #expect(fixture.memory.requests(.copy) == 1 && fixture.memory.requests(.copyPart) == 0)
        #expect(fixture.leftovers() == [])
    }

    @Test("final metadata that differs from those at the start come by one copy of the object onto itself")
    func metadata() throws {
        let fixture = try SessionFixture(Self.direct)
        try stream(fixture)
        let metadata = ObjectMetadata(user: ["mtime": Array("1".utf8)])
        try fixture.commit(metadata: metadata, forbidOverwrite: true)
        #expect(fixture.stored == fixture.model)
        #expect(fixture.memory.info(SessionFixture.key)?.metadata.user == metadata.user)
        #expect(fixture.memory.requests(.copy) == 1)
    }

    @Test("bytes of a direct stream that are needed again come back, and what stood under the key is there as before")
    func withdraw() throws {
        let fixture = try SessionFixture(.init(isDirect: true, hasDisk: false, budgetBlocks: 16))
        _ = fixture.memory.seed(SessionFixture.key, Array("old".utf8))
        try stream(fixture)
        #expect(try fixture.read(50_000..<60_000) == Array(fixture.model[50_000..<60_000]))
        #expect(fixture.stored == Array("old".utf8))
        try fixture.write([1, 2, 3], at: 70_000)
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
        #expect(fixture.leftovers() == [])
    }

    @Test("parts that fail are sent again by the commit; one that fails, too, keeps everything for the next")
    func failures() throws {
        let fixture = try SessionFixture(Self.direct)
        fixture.store.order(.error(.unavailable), on: .uploadPart)
        try stream(fixture, count: 100_000)
        fixture.store.order(.error(.accessDenied), on: .completeUpload)
        #expect(throws: ObjectStoreError.self) { try fixture.commit() }
        #expect(fixture.stored == nil)
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
    }

    @Test("an object that exists keeps an exclusive commit from replacing it, and the bytes go under another key")
    func exclusive() throws {
        for setting in [Self.direct, Self.hidden] {
            let fixture = try SessionFixture(setting)
            _ = fixture.memory.seed(SessionFixture.key, Array("foreign".utf8))
            try stream(fixture)
            let failure = #expect(throws: ObjectStoreError.self) { try fixture.commit(forbidOverwrite: true) }
            #expect(failure?.kind == .alreadyExists)
            let other = ObjectKey("other".utf8)
            try fixture.commit(as: other, forbidOverwrite: true)
            #expect(fixture.memory.contents(other) == fixture.model)
            #expect(fixture.stored == Array("foreign".utf8))
        }
    }

    @Test("a session that is abandoned leaves no upload and no hidden object")
    func abandoned() throws {
        let fixture = try SessionFixture(.init(isDirect: false, hasDisk: false, budgetBlocks: 16))
        try stream(fixture)
        var generator = SeededGenerator(seed: 9)
        for start in [90_000, 10_000, 150_000, 60_000] { try fixture.write(generator.bytes(9000), at: start) }
        fixture.restart()
        #expect(fixture.leftovers() == [])
    }

    @Test("an upload that somebody aborts is begun anew, as long as its bytes are here")
    func aborted() throws {
        let fixture = try SessionFixture(.init(isDirect: true, hasDisk: false, budgetBlocks: 512))
        try stream(fixture, count: 150_000)
        #expect(eventually(within: .seconds(5)) { fixture.memory.requests(.uploadPart) > 0 })
        for upload in fixture.memory.uploads { fixture.memory.discardUpload(upload.address) }
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
    }

    @Test("an edit copies what it leaves alone inside the store")
    func edit() throws {
        let fixture = try SessionFixture(Self.direct)
        try stream(fixture)
        try fixture.commit()
        fixture.memory.resetRequests()
        try fixture.write([9, 9, 9], at: 100_000)
        try fixture.commit()
        #expect(fixture.stored == fixture.model)
        #expect(fixture.memory.requests(.copyPart) == 2 && fixture.memory.requests(.uploadPart) == 1)
    }
}
