import Foundation
import Runtime
import Testing

@testable import ObjectServer

@Suite struct FaultRuleTests {
    private func rule(_ json: String) throws -> FaultRule {
        try JSONDecoder().decode(FaultRule.self, from: Data(json.utf8))
    }

    @Test("a rule is given as often as it says, to each n-th request") func counts() throws {
        let rules = FaultRules()
        _ = rules.add(try rule(#"{"operation": "GetObject", "kind": "cut", "count": 2, "every": 3}"#))
        let given = (0..<12).map { _ in rules.take(.getObject, key: []) != nil }
        #expect(given == [false, false, true, false, false, true, false, false, false, false, false, false])
        #expect(rules.all.isEmpty)
    }

    @Test("a rule goes by operation and by a prefix of the key's bytes") func matches() throws {
        let rules = FaultRules()
        _ = rules.add(try rule(#"{"operation": "PutObject", "kind": "drop-after", "key": "a%2Fb%20"}"#))
        #expect(rules.take(.putObject, key: Bytes("a/b c"))?.kind == .dropAfter)
        #expect(rules.take(.putObject, key: Bytes("a/b")) == nil)
        #expect(rules.take(.getObject, key: Bytes("a/b c")) == nil)
    }

    @Test("a rule lives as long as it says") func expires() throws {
        let rules = FaultRules()
        _ = rules.add(try rule(#"{"operation": "*", "kind": "hang", "seconds": 0.02}"#))
        let deadline = Deadline.after(.seconds(10))
        while rules.take(.getObject, key: []) != nil && !deadline.hasPassed {}
        #expect(rules.all.isEmpty)
    }

    @Test(
        "rules that make no sense are complained about",
        arguments: [
            #"{"operation": "Get", "kind": "cut"}"#, #"{"operation": "*", "kind": "status", "status": 99}"#,
            #"{"operation": "*", "kind": "cut", "count": 0}"#, #"{"operation": "*", "kind": "cut", "every": 0}"#,
            #"{"operation": "*", "kind": "slow", "rate": 0}"#, #"{"operation": "*", "kind": "cut", "seconds": -1}"#,
        ])
    func complaints(_ json: String) throws { #expect(try rule(json).complaint != nil) }

    @Test("a gate wakes those who wait now and later") func gates() {
        let waits = Waits()
        let gate = waits.release
        #expect(!gate.isOpen)
        waits.releaseAll()
        #expect(gate.isOpen)
        #expect(waits.hang(at: gate, socket: -1))
        #expect(!waits.release.isOpen)
    }

    @Test("counts and lines start anew at a reset, and late answers don't touch them") func reset() {
        let counters = Counters()
        let slot = counters.begin(.getObject, key: Bytes("a b"))
        counters.gave(.slow, slot)
        counters.answered(slot, status: 200, bytes: 7)
        #expect(counters.log.text == "1 GetObject 200 7 a%20b slow\n")
        #expect(counters.snapshot.total == 1)
        counters.reset()
        _ = counters.begin(.putObject, key: [])
        counters.answered(slot, status: 500, bytes: 9)
        #expect(counters.log.text == "1 PutObject 0 0 - -\n")
        #expect(counters.snapshot.faults["slow"] == 0)
    }
}
