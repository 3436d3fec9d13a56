import Testing

@testable import HTTPTransport

/// Heads that libcurl lets through and that aren't as they should be.
@Suite struct HeadReaderTests {
    private func headers(_ lines: [[UInt8]]) -> [HTTPHeader]? {
        var reader = HeadReader()
        for line in [Array("HTTP/1.1 200 OK".utf8)] + lines + [[]] {
            if case .head(let head) = (line + [0x0D, 0x0A]).withUnsafeBytes({ reader.take($0) }) {
                return head.headers
            }
        }
        return nil
    }

    @Test("CR, LF and NUL in a value become blanks, as no request can carry them back (RFC 9110 5.5)")
    func controls() throws {
        let found = try #require(headers([Array("X-A: a\rb".utf8), Array("X-B: c".utf8) + [0] + Array("d".utf8)]))
        #expect(found == [HTTPHeader("X-A", "a b"), HTTPHeader("X-B", "c d")])
    }

    @Test("a folded line goes on with the line before it, and goes where that one went")
    func folded() throws {
        let found = try #require(
            headers(["X-A: one", " two", "X B: no field", "\tnor this", "X-C: three"].map { Array($0.utf8) }))
        #expect(found == [HTTPHeader("X-A", "one two"), HTTPHeader("X-C", "three")])
    }

    @Test("a folded line of blanks adds nothing")
    func foldedBlanks() throws {
        let found = try #require(headers(["X-A: one", " \t ", "X-B:", " two"].map { Array($0.utf8) }))
        #expect(found == [HTTPHeader("X-A", "one"), HTTPHeader("X-B", "two")])
    }
}
