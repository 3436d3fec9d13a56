/// `ossmount mount`.
enum MountSubcommand {
    static func run(_ request: MountRequest) throws(CommandError) {
        _ = try MountPoint.check(request.directory, allowsNonEmpty: request.options.allowsNonEmpty)
        try FuseDevice.check()
        throw CommandError(.failure, "the file system is not wired to the command yet")
    }
}

/// `ossmount umount`.
enum UnmountSubcommand {
    static func run(_ request: UnmountRequest, runtimeFolder: [UInt8]?) throws(CommandError) {
        throw CommandError(.mountPoint, "nothing is mounted on \(printable(request.directory))")
    }
}
