import FuseBridge
import Glibc
import Runtime

/// `ossmount umount DIR`: asks the serving process to end, and waits for its word that all is in the bucket.
enum UnmountSubcommand {
    /// Between two looks at the process and its words.
    private static let pauseMicroseconds: UInt32 = 100_000
    /// A program or a file named every two seconds is read; more often it only scrolls.
    private static let tellingInterval = Duration.seconds(2)
    /// Files named in one message.
    private static let namedFiles = 5

    static func run(_ request: UnmountRequest, runtimeFolder: [UInt8]?) throws(CommandError) {
        let entry = try mount(on: request.directory)
        let shown = printable(entry.path)
        let folders = InstanceFolder.candidates(uid: entry.userID, runtimeFolder: runtimeFolder)
        let reader = InstanceReader(device: entry.device, folders: folders)
        defer { reader?.close() }
        guard let reader, let process = reader.holder, process > 0 else {
            try clear(entry, shown)
            reader?.removeLeftOver()
            return
        }
        guard kill(process, SIGTERM) == 0 else {
            let number = errno
            throw CommandError(
                .failure,
                "process \(process), which serves \(shown), can't be asked to end: \(SystemError.text(number))",
                remedy: number == EPERM ? "run this as root or as the user who mounted it" : "")
        }
        try wait(for: process, reader, entry, shown, by: .after(request.options.timeout))
    }

    /// The mount on `directory`, found without asking the process behind it.
    private static func mount(on directory: [UInt8]) throws(CommandError) -> MountTableEntry {
        if case .success(let path) = Paths.realKeepingLast(directory), let entry = MountTable.topmost(at: path) {
            return try ours(entry)
        }
        // A link to the mount point; only now, as the mount itself may be asked.
        switch Paths.real(directory) {
        case .success(let path):
            if let entry = MountTable.topmost(at: path) { return try ours(entry) }
            throw CommandError(.mountPoint, "nothing is mounted on \(printable(directory))")
        case .failure(let error):
            throw CommandError(
                .mountPoint, "\(printable(directory)) can't be looked at: \(SystemError.text(error.number))")
        }
    }

    private static func ours(_ entry: MountTableEntry) throws(CommandError) -> MountTableEntry {
        guard entry.isOurs else {
            throw CommandError(
                .mountPoint,
                "what is mounted on \(printable(entry.path)) is no mount of ossmount, but \(printable(entry.type))",
                remedy: "umount \(printable(entry.path)) ends it")
        }
        return entry
    }

    /// A mount whose process is dead, or isn't known: takes it away, and says what that means.
    private static func clear(_ entry: MountTableEntry, _ shown: String) throws(CommandError) {
        var status = stat()
        let isDead = withPath(entry.path, { stat($0, &status) }) != 0 && errno == ENOTCONN
        do throws(FuseMountError) {
            try Detaching.detach(entry.path)
        } catch {
            throw CommandError(
                .failure, "\(shown) can't be unmounted: \(error.message)",
                remedy: "run this as root or as the user who mounted it")
        }
        if isDead {
            Console.complain("the process that served \(shown) was dead; its mount is cleared")
        } else {
            throw CommandError(
                .failure, "\(shown) is detached, but the process that serves it can't be found to wait for",
                remedy: "it ends by itself once it has sent what was written; its log says so")
        }
    }

    private static func wait(
        for process: Int32, _ reader: InstanceReader, _ entry: MountTableEntry, _ shown: String, by deadline: Deadline
    ) throws(CommandError) {
        var nextTelling = Deadline.after(tellingInterval)
        var told = ""
        while reader.holder != nil {
            if deadline.hasPassed {
                throw CommandError(
                    .failure,
                    "\(shown) is detached, but process \(process) has not ended: \(waitingFor(reader, entry))",
                    remedy: "it goes on; its log says when everything is in the bucket")
            }
            if nextTelling.hasPassed {
                nextTelling = .after(tellingInterval)
                let text = waitingFor(reader, entry)
                if text != told { Console.complain(text) }
                told = text
            }
            usleep(pauseMicroseconds)
        }
        switch reader.status?.phase {
        case .drained:
            guard MountTable.topmost(at: entry.path)?.mountID == entry.mountID else { return }
            throw CommandError(
                .failure, "\(shown) is still mounted, though process \(process) has ended", remedy: "run this once more"
            )
        case .failed:
            throw CommandError(
                .failure,
                "\(shown) is unmounted, but \(reader.status?.unsentFiles ?? 0) files are not in the bucket",
                remedy: "the log names them and the reason")
        case .serving, .draining, .sending, nil:
            throw CommandError(
                .failure, "process \(process) ended without the word that everything is in the bucket",
                remedy: "the log may tell why; compare what was written last")
        }
    }

    /// A path in a detached mount begins at its root: told from where it was mounted.
    private static func shownPath(_ path: [UInt8], _ entry: MountTableEntry) -> [UInt8] {
        path.starts(with: entry.path) ? path : entry.path + path
    }

    /// `waiting for 2 files to be sent; for open files: vim (1234) holds /mnt/a.jpg`.
    private static func waitingFor(_ reader: InstanceReader, _ entry: MountTableEntry) -> String {
        var parts: [String] = []
        if let status = reader.status, status.unsentFiles > 0 {
            parts.append("for \(status.unsentFiles) \(status.unsentFiles == 1 ? "file" : "files") to be sent")
        }
        let open = OpenFiles.find(mountID: entry.mountID, limit: namedFiles + 1)
        if !open.isEmpty {
            let names = open.prefix(namedFiles).map { file in
                "\(printable(file.program)) (\(file.process)) holds \(printable(shownPath(file.path, entry)))"
            }
            let more = open.count > namedFiles ? ", and more" : ""
            parts.append("for open files: " + names.joined(separator: ", ") + more)
        } else if let status = reader.status, status.openFiles > 0 {
            parts.append("for \(status.openFiles) open \(status.openFiles == 1 ? "file" : "files")")
        }
        return "waiting " + (parts.isEmpty ? "for the serving process to end" : parts.joined(separator: "; "))
    }
}
