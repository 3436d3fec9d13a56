import CChecksums
import Foundation
import Testing

@testable import Checksums

@Suite struct CRC64Tests {
    private struct Vectors: Decodable {
        struct Combination: Decodable {
            var crc_a: String
            var crc_b: String
            var len_b: Int64
            var combined: String
        }
        var crc64: [String: String]
        var combine: [Combination]
    }

    private static func vectors() throws -> Vectors {
        let url = try #require(
            Bundle.module.url(forResource: "oss-crc64-vectors", withExtension: "json", subdirectory: "Vectors"))
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
    }

    /// The bytes that a vector's name stands for.
    private static func bytes(named name: String) -> [UInt8]? {
        switch name {
        case "empty": []
        case "8x00": [UInt8](repeating: 0, count: 8)
        case "8xFF": [UInt8](repeating: 0xFF, count: 8)
        case "bytes 0..255": Array(0...255)
        case "1MiB of 00": [UInt8](repeating: 0, count: 1 << 20)
        case "100KiB of \"a\"": [UInt8](repeating: UInt8(ascii: "a"), count: 102_400)
        default: name.hasPrefix("\"") ? Array(name.utf8.dropFirst().dropLast()) : nil
        }
    }

    /// Bytes without a pattern, the same at each run.
    private static func noise(_ count: Int, seed: UInt64 = 88_172_645_463_325_252) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }

    private static func bitByBit(_ bytes: some Sequence<UInt8>, seed: UInt64) -> UInt64 {
        var crc = ~seed
        for byte in bytes {
            crc ^= UInt64(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0xC96C_5795_D787_0F42 : 0) }
        }
        return ~crc
    }

    @Test("CRC-64/XZ gives the values that the official SDKs give")
    func knownValues() throws {
        let vectors = try Self.vectors()
        #expect(vectors.crc64.count == 9)
        for (name, expected) in vectors.crc64 {
            var crc = CRC64()
            crc.update(try #require(Self.bytes(named: name)))
            #expect(String(crc.value) == expected, "\(name)")
        }
    }

    @Test("combining the CRCs of two pieces gives that of the whole")
    func combination() throws {
        let vectors = try Self.vectors()
        #expect(vectors.combine.count == 7)
        for row in vectors.combine {
            let a = try #require(UInt64(row.crc_a))
            let b = try #require(UInt64(row.crc_b))
            #expect(String(CRC64.combine(a, b, lengthOfB: row.len_b)) == row.combined)
        }
    }

    @Test("combination agrees with hashing the whole for many lengths")
    func combinationAgrees() {
        let bytes = Self.noise(5000)
        for cut in [0, 1, 7, 8, 63, 64, 65, 1000, 4999, 5000] {
            var first = CRC64()
            first.update(Array(bytes[..<cut]))
            var second = CRC64()
            second.update(Array(bytes[cut...]))
            let combined = CRC64.combine(first.value, second.value, lengthOfB: Int64(bytes.count - cut))
            #expect(combined == Self.bitByBit(bytes, seed: 0))
        }
    }

    @Test("tables, folding and the definition agree for every length to 300 and every alignment to 16")
    func implementationsAgree() {
        let bytes = Self.noise(400)
        var differences = 0
        for alignment in 0..<16 {
            for length in 0...300 {
                let slice = bytes[alignment..<alignment + length]
                let seed = UInt64(alignment) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(length)
                let expected = Self.bitByBit(slice, seed: seed)
                bytes.withUnsafeBytes { raw in
                    let start = raw.baseAddress.map { $0 + alignment }
                    if cchecksums_crc64_tables(seed, start, length) != expected { differences += 1 }
                    if cchecksums_crc64(seed, start, length) != expected { differences += 1 }
                    if cchecksums_can_fold() == 1, cchecksums_crc64_fold(seed, start, length) != expected {
                        differences += 1
                    }
                }
            }
        }
        #expect(differences == 0)
    }

    @Test("tables and folding agree on long runs", arguments: [1 << 16, 1 << 20, (1 << 20) + 17, 3_000_001])
    func longRunsAgree(length: Int) {
        let bytes = Self.noise(length)
        bytes.withUnsafeBytes { raw in
            let byTables = cchecksums_crc64_tables(7, raw.baseAddress, length)
            #expect(cchecksums_crc64(7, raw.baseAddress, length) == byTables)
        }
    }

    @Test("bytes that come in pieces give the CRC of the whole, and a seed goes on where it ended")
    func pieces() {
        let bytes = Self.noise(10_000)
        var whole = CRC64()
        whole.update(bytes)
        var pieces = CRC64()
        var position = 0
        for step in [1, 15, 16, 17, 63, 64, 65, 1000, 8000] {
            let end = min(position + step, bytes.count)
            pieces.update(Array(bytes[position..<end]))
            position = end
        }
        var rest = CRC64(seed: pieces.value)
        rest.update(Array(bytes[position...]))
        #expect(rest.value == whole.value)
        #expect(bytes.withUnsafeBytes { CRC64.of($0) } == whole.value)
    }
}
