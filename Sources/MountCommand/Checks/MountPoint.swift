import Glibc

/// The directory to mount on, checked.
enum MountPoint {
    /// The absolute path of `directory`, or why nothing can be mounted there.
    static func check(_ directory: [UInt8], allowsNonEmpty: Bool) throws(CommandError) -> [UInt8] {
        let shown = printable(directory)
        let entries = try MountTable.read()
        // First by the table alone: what is mounted there may be dead, and then any look at it fails.
        if case .success(let path) = Paths.realKeepingLast(directory) { try refuseMounted(path, entries) }
        let path: [UInt8]
        switch Paths.real(directory) {
        case .success(let real): path = real
        case .failure(let error): throw problem(shown, error.number)
        }
        try refuseMounted(path, entries)

        var status = stat()
        guard withPath(path, { stat($0, &status) }) == 0 else { throw problem(shown, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw problem(shown, ENOTDIR) }
        if !allowsNonEmpty, try hasEntries(path, shown) {
            throw CommandError(
                .mountPoint, "the mount point \(shown) is not empty",
                remedy: "take an empty directory, or add --nonempty to hide what is in it")
        }
        return path
    }

    private static func refuseMounted(_ path: [UInt8], _ entries: [MountEntry]) throws(CommandError) {
        guard let entry = MountTable.top(at: path, in: entries), entry.isOurs else { return }
        let shown = printable(path)
        var status = stat()
        if withPath(path, { stat($0, &status) }) != 0, errno == ENOTCONN { throw stale(shown) }
        throw CommandError(
            .mountPoint, "\(printable(entry.source)) is already mounted on \(shown)",
            remedy: "ossmount umount \(shown) ends that mount")
    }

    private static func hasEntries(_ path: [UInt8], _ shown: String) throws(CommandError) -> Bool {
        guard let stream = withPath(path, { opendir($0) }) else { throw problem(shown, errno) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let isDots = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                name[0] == 0x2E && (name[1] == 0 || (name[1] == 0x2E && name[2] == 0))
            }
            if !isDots { return true }
        }
        return false
    }

    private static func problem(_ shown: String, _ number: Int32) -> CommandError {
        switch number {
        case ENOENT:
            CommandError(.mountPoint, "the mount point \(shown) does not exist", remedy: "mkdir -p \(shown)")
        case ENOTDIR: CommandError(.mountPoint, "the mount point \(shown) is not a directory")
        case ENOTCONN: stale(shown)
        default: CommandError(.mountPoint, "the mount point \(shown) can't be used: \(SystemError.text(number))")
        }
    }

    /// What a killed process leaves.
    private static func stale(_ shown: String) -> CommandError {
        CommandError(
            .mountPoint, "on \(shown) stands a mount whose process is dead",
            remedy: "clear it with: ossmount umount \(shown)   (or fusermount3 -u \(shown))")
    }
}
