import Glibc
import Runtime
import Testing

@Suite struct FilterCommandTests {
    private func run(
        _ words: [String], input: String = "", limit: Int = 4096, within time: Duration = .seconds(20)
    ) throws(FilterError) -> String {
        let output = try FilterCommand.run(
            words.map { Array($0.utf8) }, input: Array(input.utf8), maximumBytes: limit, deadline: .after(time))
        return String(decoding: output, as: UTF8.self)
    }

    @Test("a command's output is what it makes of its input, however long that is")
    func filters() throws {
        #expect(try run(["tr", "a-z", "A-Z"], input: "abc") == "ABC")
        #expect(try run(["cat"]) == "")
        let long = String(repeating: "0123456789", count: 50_000)
        #expect(try run(["cat"], input: long, limit: 1 << 20) == long)
        #expect(try run(["true"], input: long) == "", "which reads nothing")
    }

    @Test("no shell is between")
    func noShell() throws {
        #expect(try run(["echo", "$HOME;", "*"]) == "$HOME; *\n")
        #expect(try run(["sh", "-c", "echo $((1+1))"]) == "2\n")
    }

    @Test("a status other than 0 and a signal are errors")
    func failures() {
        #expect(throws: FilterError.failed(status: 3)) { try run(["sh", "-c", "echo x; exit 3"]) }
        #expect(throws: FilterError.failed(status: 128 + SIGKILL)) { try run(["sh", "-c", "kill -9 $$"]) }
        #expect(throws: FilterError.notStarted(errno: ENOENT)) { try run(["/no/such/command"]) }
        #expect(throws: FilterError.notStarted(errno: ENOENT)) { try run([]) }
    }

    @Test("what writes without end or doesn't end is killed, its children too")
    func bounds() {
        #expect(throws: FilterError.tooLarge) { try run(["cat", "/dev/zero"]) }
        let start = Deadline.now
        #expect(throws: FilterError.timedOut) {
            try run(["sh", "-c", "sleep 100 & sleep 100"], within: .milliseconds(200))
        }
        #expect(throws: FilterError.timedOut) {
            try run(["sh", "-c", "exec >&-; sleep 100"], within: .milliseconds(200))
        }
        #expect(start.advanced(by: .seconds(15)) > .now)
    }

    @Test("it sees no descriptor but its own three, and no blocked signal")
    func inheritance() throws {
        // The fourth is the folder that ls reads.
        #expect(try run(["ls", "/proc/self/fd"]) == "0\n1\n2\n3\n")
        let signals = try run(["grep", "Sig[BI]", "/proc/self/status"])
        let masks = signals.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
        // The two signals above 31 are glibc's own.
        #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0], "\(signals)")
    }
}
