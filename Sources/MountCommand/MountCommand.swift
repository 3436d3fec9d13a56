import CRuntime
import Glibc

// MountCommand: the program `ossmount` from its arguments to its exit status.
//
// Parts. Options: `OptionTable` declares every option once, one file per heading; parsing, `--help` and README's table
// are made of it; `MountRequest` is the result, a plain struct that is passed down. Checks: `MountPoint`, `FuseDevice`,
// `MountTable`, which look without changing anything. Daemon: `Background` forks, `StartReport` carries the child's word
// to the parent, `Signals` turns signals into calls, `Shutdown` drains, `InstanceFile` lets `umount` find the process.
// `MountWiring` alone knows how the modules below fit together. `Console` alone writes to the user.
//
// Order of a mount, which other parts rely on: arguments, mount point, FUSE, credentials (all without a thread); the
// mount itself; the fork; threads; the probe of the bucket; the word to the parent. So the exit status 0 means that the
// bucket answers and the mount stands. What fails after the mount takes it away again.
//
// Invariants. No secret is taken from an argument or put into a message; the environment's are overwritten once read.
// No thread starts before the fork. Signals are blocked before the first thread and taken by one. Every wait has a
// deadline. Errors say what failed, why, and what to do, on standard error; `ExitCode` has all numbers.
//
// Not here: anything about objects, files or HTTP.
//
// Failure. A `CommandError` ends a command with its number. The serving process ends with 0 only if everything that was
// written is in the bucket.

/// The program.
package enum MountCommand {
    /// Runs the command that the arguments name, and ends the process with its status.
    package static func main() -> Never {
        // First thing, before anything allocates: see the function's own words.
        cruntime_set_mmap_threshold(64 * 1024)
        exit(run(arguments()).rawValue)
    }

    /// As main, but returns the status.
    static func run(_ arguments: [[UInt8]]) -> ExitCode {
        do throws(CommandError) {
            try dispatch(arguments)
            return .success
        } catch {
            Console.complain(error.text)
            return error.code
        }
    }

    private static func dispatch(_ arguments: [[UInt8]]) throws(CommandError) {
        var rest = arguments[...]
        guard let command = rest.popFirst() else {
            throw CommandError(.usage, "a command is needed", remedy: "ossmount --help tells which there are")
        }
        switch printable(command) {
        case "mount": try mount(Array(rest))
        // `mount -t fuse.ossmount` calls with the bucket at once.
        case _ where BucketAddress.isAddress(command): try mount(arguments)
        case "umount": try unmount(Array(rest))
        case "--version", "version", "-V": Console.say("ossmount \(Version.number)")
        case "--help", "help", "-h": Console.say(Help.general)
        case let other:
            let names = ["mount", "umount", "--help", "--version"]
            let hint = NearestName.find(other, in: names).map { "did you mean \($0)? " } ?? ""
            throw CommandError(
                .usage, "there is no command '\(other)'", remedy: "\(hint)ossmount --help tells which there are")
        }
    }

    private static func mount(_ arguments: [[UInt8]]) throws(CommandError) {
        guard let request = try MountRequest(arguments, variable: Environment.value) else {
            return Console.say(Help.mount)
        }
        try MountSubcommand.run(request)
    }

    private static func unmount(_ arguments: [[UInt8]]) throws(CommandError) {
        guard let request = try UnmountRequest(arguments) else { return Console.say(Help.unmount) }
        try UnmountSubcommand.run(request, runtimeFolder: Environment.value("XDG_RUNTIME_DIR"))
    }

    /// The arguments as bytes, without the program's name: a path need not be UTF-8.
    private static func arguments() -> [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let argument = CommandLine.unsafeArgv[index] else { return nil }
            return UnsafeBufferPointer(start: argument, count: strlen(argument)).map { UInt8(bitPattern: $0) }
        }
    }
}

/// The process's environment.
enum Environment {
    /// The bytes of a variable; nil where it isn't set.
    static func value(_ name: String) -> [UInt8]? {
        guard let value = getenv(name) else { return nil }
        return UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
    }
}
