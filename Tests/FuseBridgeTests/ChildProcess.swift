import Glibc
import Runtime

/// A program that does the system calls of a test: a mount is never entered by the process that serves it.
final class ChildProcess {
    let pid: pid_t
    private let output: Int32
    private var status: Int32?

    /// Starts `arguments`, with standard output and standard error in a file of its own; nil where that fails.
    init?(_ arguments: [String]) {
        var template = Array("/tmp/ossmount-bridge-output-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { return nil }
        closeOnExec(file)
        Glibc.unlink(template)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, file, 1)
        posix_spawn_file_actions_adddup2(&actions, file, 2)
        // Threads of Swift's pool may block signals; programs expect none to be.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        for argument in arguments { pointers.append(strdup(argument)) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var child = pid_t()
        guard posix_spawnp(&child, arguments[0], &actions, &attributes, pointers, environ) == 0 else {
            close(file)
            return nil
        }
        pid = child
        output = file
    }

    deinit {
        if status == nil {
            kill(pid, SIGKILL)
            _ = wait(.seconds(5))
        }
        close(output)
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// The exit status, 128 + the signal that ended it, or nil if it still runs after `limit`.
    func wait(_ limit: Duration) -> Int32? {
        if let status { return status }
        let deadline = Deadline.after(limit)
        while true {
            var raw: Int32 = 0
            if waitpid(pid, &raw, WNOHANG) == pid {
                let signal = raw & 0x7F
                status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
                return status
            }
            if deadline.hasPassed { return nil }
            usleep(2000)
        }
    }

    /// What it wrote so far.
    var text: String {
        var size = stat()
        fstat(output, &size)
        var bytes = [UInt8](repeating: 0, count: Int(size.st_size))
        let count = pread(output, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}

/// Keeps a descriptor from the programs that are started.
func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

/// O_DIRECT of open(2), which the Glibc module lacks.
#if arch(arm64)
    let directFlag = 0o200000
#else
    let directFlag = 0o40000
#endif

/// Runs a program to its end, for at most twenty seconds: its status (nil: still running, then killed) and words.
func run(_ arguments: String...) -> (status: Int32?, text: String) {
    guard let child = ChildProcess(arguments) else { return (nil, "can't start \(arguments[0])") }
    let status = child.wait(.seconds(20))
    return (status, child.text)
}

/// Runs lines of sh, with the mount's path in $D.
func shell(_ mount: TestMount, _ script: String) -> (status: Int32?, text: String) {
    run("env", "LC_ALL=C", "D=\(mount.path)", "sh", "-c", script)
}
