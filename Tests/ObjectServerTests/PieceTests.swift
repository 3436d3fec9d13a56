import Testing

@testable import ObjectServer

@Suite struct PieceTests {
    private let pieces = [
        Piece(body: BodyID(number: 7), offset: 0, length: 10), Piece(body: BodyID(number: 8), offset: 100, length: 5),
        Piece(body: BodyID(number: 9), offset: 0, length: 1),
    ]

    @Test("a stretch is cut out of the pieces that it touches") func stretches() {
        #expect(pieces.length == 16)
        #expect(pieces.stretch(offset: 0, length: 16) == pieces)
        #expect(
            pieces.stretch(offset: 9, length: 3) == [
                Piece(body: BodyID(number: 7), offset: 9, length: 1),
                Piece(body: BodyID(number: 8), offset: 100, length: 2),
            ])
        #expect(pieces.stretch(offset: 12, length: 2) == [Piece(body: BodyID(number: 8), offset: 102, length: 2)])
        #expect(pieces.stretch(offset: 16, length: 5) == [])
        #expect(pieces.stretch(offset: 3, length: 0) == [])
    }

    @Test("pieces come back as packed") func packing() {
        #expect(Piece.unpacked(Piece.packed(pieces)) == pieces)
        #expect(Piece.unpacked([]) == [])
        #expect(Piece.unpacked(Bytes(repeating: 1, count: 23)) == [])
    }
}

@Suite struct LeaseTests {
    private func body(_ number: Int64) -> BodyID { BodyID(number: number) }

    @Test("bodies are given up at once where nobody reads") func nobodyReads() {
        var leases = Leases()
        #expect(leases.retire([body(1)]) == [body(1)])
    }

    @Test("a body waits for the readers that began before, and for no later one") func waits() {
        var leases = Leases()
        let early = leases.take()
        #expect(leases.retire([body(1)]) == [])
        let late = leases.take()
        #expect(leases.retire([body(2)]) == [])
        #expect(leases.giveBack(early) == [body(1)])
        #expect(leases.giveBack(late) == [body(2)])
        #expect(leases.retire([body(3)]) == [body(3)])
    }

    @Test("readers may end in any order") func anyOrder() {
        var leases = Leases()
        let early = leases.take()
        let late = leases.take()
        #expect(leases.retire([body(1)]) == [])
        #expect(leases.giveBack(late) == [])
        #expect(leases.giveBack(early) == [body(1)])
    }
}

@Suite struct PartListTests {
    @Test("the list of a completion is read with and without quotes, by its paths alone") func reads() throws {
        let text = Bytes(
            """
            <CompleteMultipartUpload xmlns="x"><Part><PartNumber>1</PartNumber><ETag>"AB"</ETag></Part>
            <Part><ETag>cd</ETag><Other><ETag>x</ETag></Other><PartNumber> 5 </PartNumber></Part></CompleteMultipartUpload>
            """.utf8)
        let items = try CompleteUpload.PartList(text).parts
        #expect(items.map(\.number) == [1, 5])
        #expect(items.map(\.etag) == [Bytes("AB"), Bytes("CD")])
    }

    @Test(
        "a list that lacks something is malformed",
        arguments: ["", "<a/>", "<a><Part><PartNumber>1</PartNumber></Part></a>", "<a><Part>", "<a></a><b></b>"])
    func malformed(_ text: String) {
        #expect(throws: ServiceError.self) { try CompleteUpload.PartList(Bytes(text.utf8)) }
    }
}
