import Testing

@testable import Transfer

@Suite struct ReadWindowTests {
    @Test("a sequential reader's window doubles up to the widest and never past the file's end")
    func doubles() {
        var window = ReadWindow(limits: ReadWindow.Limits(widest: 32 << 20))
        var offset: Int64 = 0
        var furthest: Int64 = 0
        while offset < 1 << 30 {
            let (range, _) = window.advance(offset: offset, count: 128 << 10, size: 1 << 30)
            #expect(range.lowerBound == offset)
            furthest = max(furthest, range.upperBound - offset)
            offset += 128 << 10
        }
        #expect(furthest >= 32 << 20 && furthest <= (32 + 8 + 1) << 20)
    }

    @Test("a sequential reader asks for new ranges rarely, not at each read")
    func fewRequests() {
        var window = ReadWindow(limits: ReadWindow.Limits(widest: 32 << 20))
        var ends: Set<Int64> = []
        var offset: Int64 = 0
        while offset < 256 << 20 {
            ends.insert(window.advance(offset: offset, count: 128 << 10, size: 256 << 20).range.upperBound)
            offset += 128 << 10
        }
        #expect(ends.count <= 32)
    }

    @Test("a reader that jumps gets what it asked for and no more")
    func random() {
        var window = ReadWindow(limits: ReadWindow.Limits(widest: 32 << 20))
        _ = window.advance(offset: 500 << 20, count: 4096, size: 1 << 30)
        let (range, _) = window.advance(offset: 100 << 20, count: 4096, size: 1 << 30)
        #expect(range.lowerBound == 100 << 20)
        #expect(range.count == 4096)
    }

    @Test("a read past the end is an empty range")
    func pastEnd() {
        var window = ReadWindow(limits: ReadWindow.Limits(widest: 32 << 20))
        let (range, _) = window.advance(offset: 2000, count: 100, size: 1000)
        #expect(range.isEmpty)
    }
}
