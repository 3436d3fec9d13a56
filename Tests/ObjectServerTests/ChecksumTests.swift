import CObjectServer
import Testing

@testable import ObjectServer

@Suite struct ChecksumTests {
    /// From OSS's documentation of x-oss-hash-crc64ecma and the official SDKs.
    static let vectors: [(Bytes, UInt64)] = [
        ([], 0), (Bytes("a"), 3_675_645_893_302_102_789), (Bytes("123456789"), 11_051_210_869_376_104_954),
        (Bytes("hello world"), 5_981_764_153_023_615_706),
        (Bytes(repeating: 0, count: 8), 13_144_445_341_178_972_864),
        (Bytes(repeating: 0xFF, count: 8), 18_446_744_073_709_551_615),
        (Bytes(0...255), 8_232_944_260_754_389_680),
        (Bytes(repeating: 0, count: 1 << 20), 6_947_770_692_288_575_170),
        (Bytes(repeating: 0x61, count: 102_400), 12_696_911_168_479_852_064),
    ]

    @Test("known bytes have their known CRC-64, by folding and by tables") func vectors() {
        for (bytes, expected) in Self.vectors {
            #expect(cobjectserver_crc64(0, bytes, bytes.count) == expected)
            #expect(cobjectserver_crc64_tables(0, bytes, bytes.count) == expected)
        }
    }

    @Test("a CRC-64 goes on from piece to piece, wherever the pieces end") func pieces() {
        var generator = SeededGenerator(state: 7)
        let bytes = Bytes((0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let whole = cobjectserver_crc64_tables(0, bytes, bytes.count)
        for cut in [0, 1, 15, 16, 63, 64, 127, 128, 129, 191, 1000, 4999, 5000] {
            let first = Bytes(bytes[..<cut])
            let second = Bytes(bytes[cut...])
            let start = cobjectserver_crc64(0, first, first.count)
            #expect(cobjectserver_crc64(start, second, second.count) == whole, "cut at \(cut)")
        }
    }

    /// First, second, length of the second, both.
    static let combinations: [(UInt64, UInt64, UInt64, UInt64)] = [
        (6_748_440_630_437_108_969, 10_278_880_121_275_185_425, 4, 11_051_210_869_376_104_954),
        (0, 11_051_210_869_376_104_954, 9, 11_051_210_869_376_104_954),
        (11_051_210_869_376_104_954, 0, 0, 11_051_210_869_376_104_954),
        (12_696_911_168_479_852_064, 5_981_764_153_023_615_706, 11, 5_069_823_118_950_307_302),
        (6_947_770_692_288_575_170, 8_232_944_260_754_389_680, 256, 16_544_749_290_574_920_502),
        (1_234_567_890_123_456_789, 9_876_543_210_987_654_321, 5_368_709_120, 17_741_012_707_948_590_695),
    ]

    @Test("the checksums of two stretches give that of both") func combinations() {
        for (first, second, length, both) in Self.combinations {
            #expect(cobjectserver_crc64_combine(first, second, length) == both)
        }
    }

    @Test("small objects have their MD5 as ETag, large ones CRC-64 and length") func etags() {
        let small = PutReceiver.etag(size: 5, crc: 1, md5: Digests.md5(Bytes("hello")))
        #expect(small.text == "5D41402ABC4B2A76B9719D911017C592")
        let large = PutReceiver.etag(size: 16 << 20, crc: 0xABC, md5: nil)
        #expect(large.text == "0000000000000ABC0000000001000000")
    }
}

/// A generator that gives the same numbers each time.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
