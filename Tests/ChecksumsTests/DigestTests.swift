import Testing

@testable import Checksums

/// Values of RFC 1321, FIPS 180-4, RFC 2202 and RFC 4231.
@Suite struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    @Test("digests of no bytes and of `abc` are those of the standards")
    func digests() throws {
        #expect(
            hex(try Digest.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hex(try Digest.sha256("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(hex(try Digest.sha1("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex(try Digest.md5([])) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(hex(try Digest.md5("abc".utf8)) == "900150983cd24fb0d6963f7d28e17f72")
    }

    @Test("HMAC gives the codes of RFC 4231 and RFC 2202")
    func authentication() throws {
        let key = Array("Jefe".utf8)
        let message = Array("what do ya want for nothing?".utf8)
        #expect(
            hex(try MessageAuthentication.hmac(.sha256, key: key, message: message))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(try MessageAuthentication.hmac(.sha1, key: key, message: message))
                == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        let longKey = [UInt8](repeating: 0xAA, count: 131)
        let text = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hex(try MessageAuthentication.hmac(.sha256, key: longKey, message: text))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("an empty key and an empty message have a code of their own")
    func emptyKey() throws {
        #expect(
            hex(try MessageAuthentication.hmac(.sha256, key: [], message: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}
