import Testing

@testable import Encoding

@Suite struct JSONValueTests {
    private func parse(_ text: String) -> JSONValue? { JSONValue(parsing: Array(text.utf8)) }

    @Test("every kind of value is read")
    func kinds() {
        let text = #"{"a":null,"b":true,"c":-7,"d":1.5,"e":"x\u00e9\n","f":[1,"2",[]],"g":{}}"#
        let expected: JSONValue = .object([
            "a": .null, "b": .bool(true), "c": .integer(-7), "d": .number(1.5), "e": .string("x\u{E9}\n"),
            "f": .array([.integer(1), .string("2"), .array([])]), "g": .object([:]),
        ])
        #expect(parse(text) == expected)
    }

    @Test("whole numbers are taken as numbers and as strings of digits, and nothing else is")
    func wholeNumbers() {
        #expect(["200", "\"200\"", "200.0", "-1"].map { parse($0)?.wholeNumber } == [200, 200, 200, -1])
        #expect(
            ["true", "\"\"", "\"2x\"", "1.5", "1e99", "null", "[200]"].allSatisfy { parse($0)?.wholeNumber == nil })
    }

    @Test("members are found by name; what is null or no object has none")
    func members() {
        #expect(parse(#"{"a":"x","b":null}"#)?["a"]?.text == "x")
        #expect(parse(#"{"a":"x","b":null}"#)?["b"] == nil)
        #expect(parse(#"["a"]"#)?["a"] == nil)
    }

    @Test(
        "what isn't one JSON value in UTF-8 is nil",
        arguments: [
            "", " ", "{", "}", "{\"a\"}", "[1 2]", "nul", "1 2", "{\"a\":1}x", "'a'", "\"a", "\\", "{\"a\":\u{1}}",
        ])
    func malformed(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("bytes that aren't UTF-8, and texts of other encodings, are nil")
    func encodings() {
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSONValue(parsing: [0x22, 0, 0x61, 0, 0x22, 0]) == nil)
    }

    @Test("documents nested deeper than any service's are nil, brackets in strings not counted")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(parse(nested(32)) != nil)
        #expect(parse(nested(33)) == nil)
        #expect(parse(nested(60_000)) == nil)
        #expect(parse("\"\\\"" + nested(100) + "\"") != nil)
    }
}
