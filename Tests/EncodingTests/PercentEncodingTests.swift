import Testing

@testable import Encoding

@Suite struct PercentEncodingTests {
    @Test("only letters, digits and - _ . ~ stay as they are, digits are upper-case, bytes go one by one")
    func strictSet() {
        let every = (UInt8.min...UInt8.max).map { $0 }
        let kept = every.filter { PercentEncoding.encode([$0]) == [$0] }
        #expect(kept == Array("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~".utf8))
        #expect(PercentEncoding.encode("é/+ ".utf8) == Array("%C3%A9%2F%2B%20".utf8))
    }

    @Test("a path keeps its slashes and nothing else")
    func path() {
        let key = "a b+c/100%/中文 é~(1)'!*.txt"
        #expect(
            PercentEncoding.encode(key.utf8, keepingSlashes: true)
                == Array("a%20b%2Bc/100%25/%E4%B8%AD%E6%96%87%20%C3%A9~%281%29%27%21%2A.txt".utf8))
    }

    @Test("decoding gives back every byte, in either case of digits")
    func roundTrip() {
        let every = (UInt8.min...UInt8.max).map { $0 }
        #expect(PercentEncoding.decode(PercentEncoding.encode(every)) == every)
        #expect(PercentEncoding.decode(Array("%c3%A9".utf8)) == Array("é".utf8))
    }

    @Test("a plus is a blank only where that is asked for")
    func plus() {
        #expect(PercentEncoding.decode(Array("a+b%2Bc".utf8)) == Array("a+b+c".utf8))
        #expect(PercentEncoding.decode(Array("a+b%2Bc".utf8), plusIsSpace: true) == Array("a b+c".utf8))
    }

    @Test("a broken escape is refused", arguments: ["%", "a%2", "%G0", "%0G", "100%"])
    func broken(text: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)) == nil)
    }
}

@Suite struct Base64Tests {
    @Test("the vectors of RFC 4648 hold both ways")
    func vectors() {
        let pairs = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in pairs {
            #expect(Base64.encode(Array(plain.utf8)) == Array(text.utf8))
            #expect(Base64.decode(Array(text.utf8)) == Array(plain.utf8))
        }
    }

    @Test(
        "what isn't exactly base64 is refused",
        arguments: ["Zg=", "Zg", " Zg==", "Zg==\n", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9*", "=Zg="])
    func refused(text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }

    @Test("any bytes come back, of any length")
    func roundTrip() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test("hexadecimal digits are written in lower case, read in both, and refused otherwise")
    func hexadecimal() {
        #expect(Hexadecimal.encode([0, 0x9A, 0xFF]) == Array("009aff".utf8))
        #expect(Hexadecimal.decode(Array("009AfF".utf8)) == [0, 0x9A, 0xFF])
        #expect(Hexadecimal.decode(Array("0".utf8)) == nil)
        #expect(Hexadecimal.decode(Array("0g".utf8)) == nil)
    }
}
