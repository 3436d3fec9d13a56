import Glibc
import Testing

@testable import FuseBridge

@Suite struct CallerStateTests {
    private func status(
        pending: String = "0", shared: String = "0", caught: String = "0", ignored: String = "0",
        blocked: String = "0", state: String = "D (disk sleep)"
    ) -> [UInt8] {
        let lines = [
            "Name:\tSigPnd: x", "State:\t\(state)", "SigPnd:\t\(pending)", "ShdPnd:\t\(shared)", "SigBlk:\t\(blocked)",
            "SigIgn:\t\(ignored)", "SigCgt:\t\(caught)",
        ]
        return Array(lines.joined(separator: "\n").utf8)
    }

    @Test("pending SIGKILL means dying, in either set") func killed() {
        #expect(CallerState.isDying(status: status(pending: "0000000000000100")))
        #expect(CallerState.isDying(status: status(shared: "100")))
        #expect(!CallerState.isDying(status: status()))
    }

    @Test("a zombie is dying") func zombie() {
        #expect(CallerState.isDying(status: status(state: "Z (zombie)")))
    }

    @Test("a signal that is caught, ignored, blocked or harmless lets the thread live") func survived() {
        // SIGUSR1 is 10: bit 9.
        #expect(CallerState.isDying(status: status(shared: "200")))
        #expect(!CallerState.isDying(status: status(shared: "200", caught: "200")))
        #expect(!CallerState.isDying(status: status(shared: "200", ignored: "200")))
        #expect(!CallerState.isDying(status: status(shared: "200", blocked: "200")))
        // SIGURG is 23.
        #expect(!CallerState.isDying(status: status(shared: "400000")))
    }

    @Test("exiting by a signal is told from exiting by exit") func exiting() {
        func stat(flags: Int, code: Int) -> [UInt8] {
            let middle = (10...51).map { _ in "0" }.joined(separator: " ")
            return Array("1 (a) b) S 1 1 1 0 -1 \(flags) \(middle) \(code)\n".utf8)
        }
        #expect(CallerState.isExitingBySignal(stat: stat(flags: 4_194_308, code: 9)))
        #expect(!CallerState.isExitingBySignal(stat: stat(flags: 4_194_308, code: 256)))
        #expect(!CallerState.isExitingBySignal(stat: stat(flags: 4_194_304, code: 9)))
        #expect(!CallerState.isExitingBySignal(stat: Array("garbage".utf8)))
    }

    @Test("this living thread is not dying, one that doesn't exist is") func real() {
        #expect(CallerState.isDying(getpid()) == false)
        #expect(CallerState.isDying(Int32.max) == true)
        #expect(CallerState.isDying(0) == nil)
    }
}
