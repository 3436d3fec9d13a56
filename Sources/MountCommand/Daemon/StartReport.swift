import Glibc
import Runtime

/// What the child in the background tells the parent that waits: how the start went, once.
///
/// On the pipe: the exit code as one byte, then the words of an error in UTF-8, to the pipe's end. A child that dies
/// closes it without a byte, which tells as much.
enum StartReport {
    /// 64 KiB: an error's words fit a hundred times.
    private static let maximumBytes = 64 * 1024

    static func send(_ error: CommandError?, to descriptor: Int32) {
        let code = error?.code ?? .success
        DescriptorWriting.writeAll(
            [UInt8(truncatingIfNeeded: code.rawValue)] + Array((error?.text ?? "").utf8), to: descriptor)
        close(descriptor)
    }

    /// What came: a code with words; `died` for a pipe that ended without any, `late` where nothing came in time.
    enum Outcome: Equatable { case told(ExitCode, String), died, late }

    static func receive(from descriptor: Int32, by deadline: Deadline) -> Outcome {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < maximumBytes {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let (seconds, attoseconds) = deadline.remaining.components
            // Rounded up, so that it isn't polled with zero just before the deadline.
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            let ready = poll(&wanted, 1, Int32(clamping: milliseconds))
            if ready < 0 && errno != EINTR { return .died }
            if ready <= 0 {
                if deadline.hasPassed { return .late }
                continue
            }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            bytes += chunk[..<count]
        }
        guard let first = bytes.first else { return .died }
        // The words were made for people already; only their encoding is undone here.
        return .told(ExitCode(rawValue: Int32(first)) ?? .failure, text(bytes.dropFirst()))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? printable(bytes)
    }
}
