import Testing

@testable import ObjectServer

@Suite struct ByteRangeTests {
    private func resolve(_ header: String?, size: UInt64 = 10, isStandard: Bool = true) -> ByteRange.Outcome {
        ByteRange.resolve(header.map { Bytes($0.utf8) }, size: size, isStandard: isStandard)
    }

    @Test("a range within the object is a part, with either behaviour", arguments: [true, false])
    func within(_ isStandard: Bool) {
        #expect(resolve("bytes=0-0", isStandard: isStandard) == .part(offset: 0, length: 1))
        #expect(resolve("bytes=2-4", isStandard: isStandard) == .part(offset: 2, length: 3))
        #expect(resolve("bytes=9-", isStandard: isStandard) == .part(offset: 9, length: 1))
        #expect(resolve("bytes=-4", isStandard: isStandard) == .part(offset: 6, length: 4))
    }

    @Test("a range that ends past the object is cut, or without the header passed over") func pastTheEnd() {
        #expect(resolve("bytes=8-10") == .part(offset: 8, length: 2))
        #expect(resolve("bytes=-11") == .part(offset: 0, length: 10))
        #expect(resolve("bytes=8-10", isStandard: false) == .whole)
        #expect(resolve("bytes=-11", isStandard: false) == .whole)
    }

    @Test("a range that starts past the object can't be had, or without the header is passed over")
    func startsPastTheEnd() {
        #expect(resolve("bytes=10-") == .unsatisfiable)
        #expect(resolve("bytes=10-20") == .unsatisfiable)
        #expect(resolve("bytes=-0") == .unsatisfiable)
        #expect(resolve("bytes=10-", isStandard: false) == .whole)
    }

    @Test("no range of an empty object can be had") func emptyObject() {
        for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] { #expect(resolve(header, size: 0) == .unsatisfiable) }
    }

    @Test(
        "what can't be read as one range is passed over",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=4-2", "bytes=a-b", "bytes=1-2,4-5", "items=0-1",
            "bytes=0x1-2",
            "bytes=99999999999999999999-", "bytes=+1-2",
        ])
    func unreadable(_ header: String?) { #expect(resolve(header) == .whole) }
}
