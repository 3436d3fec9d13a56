import Glibc

/// What must hold before libfuse is asked to mount: checked first, as libfuse tells failures by words on standard error.
struct MountPreconditions {
    /// Other values only in tests.
    var devicePath = "/dev/fuse"
    var fusermountPaths = ["/usr/bin/fusermount3", "/bin/fusermount3", "/usr/local/bin/fusermount3"]
    var configurationPath = "/etc/fuse.conf"
    var isRoot = geteuid() == 0

    /// The mount point's absolute path without links; throws what stands in the way, the mount point's faults first.
    func check(_ configuration: FuseConfiguration) throws(FuseMountError) -> [UInt8] {
        let path = try checkMountPoint(configuration)
        try checkFuse(configuration)
        return path
    }

    /// The mount point's absolute path without links; `/dev/fd/N` stays as it is.
    func checkMountPoint(_ configuration: FuseConfiguration) throws(FuseMountError) -> [UInt8] {
        if Self.isDescriptorPath(configuration.mountPoint) { return configuration.mountPoint }
        return try resolvedDirectory(configuration.mountPoint)
    }

    func checkFuse(_ configuration: FuseConfiguration) throws(FuseMountError) {
        if Self.isDescriptorPath(configuration.mountPoint) { return }
        // fusermount3 opens the device with its caller's rights (tried: 3.14 says "Permission denied" otherwise).
        try checkDevice()
        if !isRoot {
            if !fusermountPaths.contains(where: { Glibc.access($0, X_OK) == 0 }) { throw .fusermountMissing }
            if configuration.allowsOtherUsers && !configurationAllowsOthers() { throw .allowOtherRefused }
        }
    }

    /// `/dev/fd/N` as mount point: a mount that somebody with more rights has made already (`-o drop_privileges`).
    static func isDescriptorPath(_ path: [UInt8]) -> Bool {
        let prefix = Array("/dev/fd/".utf8)
        let digits = path.dropFirst(prefix.count)
        return path.starts(with: prefix) && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private func resolvedDirectory(_ path: [UInt8]) throws(FuseMountError) -> [UInt8] {
        guard !path.contains(0), let resolved = realpath(terminated(path), nil) else { throw Self.fault(errno) }
        defer { free(resolved) }
        let absolute = UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)).map { $0 }
        let isOurs = MountTable.topmost(at: absolute)?.isOurs ?? false
        var status = stat()
        guard stat(resolved, &status) == 0 else {
            let fault = Self.fault(errno)
            // A mount of ours that lives may have any other error to tell, or be closed to this user.
            throw isOurs && fault != .mountPointStale ? .alreadyMounted : fault
        }
        if isOurs { throw .alreadyMounted }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .mountPointNotDirectory }
        if !isRoot && Glibc.access(resolved, W_OK | X_OK) != 0 { throw .mountPointNotPermitted }
        return absolute
    }

    private static func fault(_ errno: Int32) -> FuseMountError {
        switch errno {
        case ENOTDIR: .mountPointNotDirectory
        case ENOTCONN, ECONNABORTED: .mountPointStale
        case EACCES, EPERM: .mountPointNotPermitted
        default: .mountPointMissing
        }
    }

    private func checkDevice() throws(FuseMountError) {
        let descriptor = open(devicePath, O_RDWR | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        switch errno {
        case ENOENT, ENODEV, ENXIO: throw .deviceMissing
        case let number: throw .deviceNotOpenable(errno: number)
        }
    }

    private func configurationAllowsOthers() -> Bool {
        guard let text = contents(of: configurationPath) else { return false }
        let blanks: [UInt8] = [0x20, 0x09, 0x0D]
        return text.split(separator: UInt8(ascii: "\n")).contains { line in
            line.filter { !blanks.contains($0) } == Array("user_allow_other".utf8)
        }
    }
}
