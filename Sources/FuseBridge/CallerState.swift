import Glibc

/// What /proc says of a thread that waits for an answer.
enum CallerState {
    /// Whether the thread can do nothing any more but end: it is gone or a zombie, SIGKILL is pending, a pending signal
    /// will end it by default, or it is exiting because of a signal. False for a thread that will run a handler; nil where
    /// /proc hides it (hidepid) or it has no number here (0).
    static func isDying(_ thread: Int32) -> Bool? {
        guard thread > 0 else { return nil }
        guard let status = contents(of: "/proc/\(thread)/status") else {
            // Signal 0 only asks; a thread that exists but isn't ours to signal is EPERM.
            return kill(thread, 0) != 0 && errno == ESRCH ? true : nil
        }
        return isDying(status: status) || isExitingBySignal(thread)
    }

    /// Whether the thread is in exit(2) because of a signal. Its last descriptors are flushed then, and no further signal,
    /// SIGKILL neither, makes the kernel interrupt that.
    static func isExitingBySignal(_ thread: Int32) -> Bool {
        guard thread > 0, let text = contents(of: "/proc/\(thread)/stat") else { return false }
        return isExitingBySignal(stat: text)
    }

    static func isDying(status: [UInt8]) -> Bool {
        var sets: [Substring: UInt64] = [:]
        for line in words(status).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let name = line[..<colon]
            if name == "State", value.hasPrefix("Z") || value.hasPrefix("X") { return true }
            if name.hasPrefix("Sig") || name == "ShdPnd" { sets[name] = UInt64(value, radix: 16) }
        }
        let pending = sets["SigPnd", default: 0] | sets["ShdPnd", default: 0]
        if pending & bit(SIGKILL) != 0 { return true }
        let survived =
            sets["SigBlk", default: 0] | sets["SigIgn", default: 0] | sets["SigCgt", default: 0] | harmless
        return pending & ~survived != 0
    }

    static func isExitingBySignal(stat: [UInt8]) -> Bool {
        // The second field is the name, in parentheses, and may contain anything; the state follows the last one.
        guard let parenthesis = stat.lastIndex(of: UInt8(ascii: ")")) else { return false }
        let fields = stat[(parenthesis + 1)...].split(separator: UInt8(ascii: " "))
        // proc(5): flags is field 9, exit_code field 52 (0 where we may not see it); the first field here is field 3.
        guard fields.count > 49, let flags = number(fields[6]) else { return false }
        let exitCode = number(fields[49].filter { $0 != UInt8(ascii: "\n") }[...]) ?? 0
        return flags & exiting != 0 && exitCode & 0x7F != 0
    }

    /// PF_EXITING of linux/sched.h.
    private static let exiting: UInt64 = 4

    /// Signals whose default is to be ignored, or to stop or continue the process (signal(7)).
    private static let harmless: UInt64 = [SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]
        .reduce(0) { $0 | bit($1) }

    private static func bit(_ signal: Int32) -> UInt64 { 1 << UInt64(signal - 1) }

    private static func number(_ field: ArraySlice<UInt8>) -> UInt64? {
        UInt64(words(field))
    }
}
