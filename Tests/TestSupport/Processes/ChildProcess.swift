import Glibc
import Runtime

/// What a program left when it ended.
package struct ProgramOutput: Sendable, CustomStringConvertible {
    /// The exit code; 128 and the signal's number where a signal ended it, as shells say it.
    package let status: Int32
    package let standardOutput: [UInt8]
    package let standardError: [UInt8]

    /// Standard output to read; bytes that are not UTF-8 show as U+FFFD.
    package var text: String { String(decoding: standardOutput, as: UTF8.self) }
    package var errorText: String { String(decoding: standardError, as: UTF8.self) }
    /// Standard output's lines without their line feeds.
    package var lines: [String] { text.split(separator: "\n").map(String.init) }

    package var description: String {
        "exit code \(status)\n\(text.suffix(2000))\(errorText.suffix(2000))"
    }
}

/// A program in a process group of its own, with its output in files.
///
/// Files rather than pipes, since a daemon that inherits a pipe keeps its reader waiting after the program has ended.
package final class ChildProcess: Sendable {
    package let processID: pid_t
    private let outputPath: String
    private let errorPath: String
    // Guards the exit status, as only one thread may reap.
    private let status = Locked<Int32?>(nil)

    /// Starts `arguments[0]`, found by PATH unless it is a path, with exactly this environment and nothing on its input.
    ///
    /// - Parameter folder: where the output's files go; its owner removes it.
    package init(_ arguments: [String], environment: [String: String], folder: TemporaryFolder) throws {
        let stem = folder.uniquePath("child")
        outputPath = stem + ".out"
        errorPath = stem + ".err"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var every = sigset_t()
        sigfillset(&every)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &every)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let argumentPointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let environmentPointers: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var child: pid_t = 0
        let result = posix_spawnp(&child, arguments[0], &actions, &attributes, argumentPointers, environmentPointers)
        guard result == 0 else {
            throw TestFailure("can't start \(arguments[0]): \(String(cString: strerror(result)))")
        }
        processID = child
    }

    /// The exit code once it has ended, as in `ProgramOutput.status`; nil before. Doesn't wait.
    package var exitStatus: Int32? {
        status.withLock { status in
            if let status { return status }
            var word: Int32 = 0
            guard waitpid(processID, &word, WNOHANG) == processID else { return nil }
            let signal = word & 0x7F
            status = signal == 0 ? (word >> 8) & 0xFF : 128 + signal
            return status
        }
    }

    package var isRunning: Bool { exitStatus == nil }

    /// Waits for the end; false once `limit` has passed.
    package func waitForExit(within limit: Duration) -> Bool { eventually(within: limit) { exitStatus != nil } }

    /// What it has written so far, with `status` -1 while it runs.
    package var output: ProgramOutput {
        ProgramOutput(
            status: exitStatus ?? -1, standardOutput: FileSystemPath.contents(outputPath),
            standardError: FileSystemPath.contents(errorPath))
    }

    /// Sends a signal to the program alone.
    package func signal(_ number: Int32) { if isRunning { kill(processID, number) } }

    /// Kills the program and all that it started in its group, and waits a few seconds for the program's end.
    package func killGroup() {
        kill(-processID, SIGKILL)
        _ = waitForExit(within: .seconds(5))
    }
}

/// A folder below the system's place for temporary files.
package final class TemporaryFolder: Sendable {
    package let path: String
    private let count = Locked(0)

    package init() throws {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(place)/ossmount-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("can't make a folder in \(place): errno \(errno)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
    }

    /// A path in the folder that no other call returns.
    package func uniquePath(_ stem: String) -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(path)/\(stem)-\(number)"
    }

    /// Removes the folder, but nothing that is mounted in it.
    package func remove() {
        var child: pid_t = 0
        let words = ["rm", "-rf", "--one-file-system", path]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawnp(&child, "rm", nil, nil, arguments, environ) == 0 else { return }
        let child1 = child
        _ = eventually(within: .seconds(30)) { waitpid(child1, nil, WNOHANG) != 0 }
    }
}

/// Small files, outside mounts.
package enum FileSystemPath {
    /// All bytes of the file; empty where it can't be read.
    package static func contents(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
