import FuseBridge
import Glibc

/// The directory to mount on.
enum MountPoint {
    /// Throws where the directory at `path`, which is resolved, has entries.
    static func checkEmpty(_ path: [UInt8]) throws(CommandError) {
        guard let stream = withPath(path, { opendir($0) }) else {
            throw CommandError(
                .mountPoint, "the mount point \(printable(path)) can't be read: \(SystemError.text(errno))")
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let isDots = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                name[0] == 0x2E && (name[1] == 0 || (name[1] == 0x2E && name[2] == 0))
            }
            guard isDots else {
                throw CommandError(
                    .mountPoint, "the mount point \(printable(path)) is not empty",
                    remedy: "take an empty directory, or add --nonempty to hide what is in it")
            }
        }
    }
}

extension CommandError {
    /// What the mount of `directory` failed with, in this command's words.
    init(_ error: FuseMountError, on directory: [UInt8]) {
        let shown = printable(directory)
        switch error {
        case .mountPointMissing:
            self.init(.mountPoint, "the mount point \(shown) does not exist", remedy: "mkdir -p \(shown)")
        case .mountPointNotDirectory: self.init(.mountPoint, "the mount point \(shown) is not a directory")
        case .mountPointStale:
            self.init(
                .mountPoint, "on \(shown) stands a mount whose process is dead",
                remedy: "clear it with: ossmount umount \(shown)   (or fusermount3 -u \(shown))")
        case .mountPointNotPermitted:
            self.init(.mountPoint, "this user may not enter or write the mount point \(shown)")
        case .alreadyMounted:
            self.init(
                .mountPoint, "a bucket is mounted on \(shown) already",
                remedy: "ossmount umount \(shown) ends that mount")
        case .deviceMissing:
            self.init(
                .fuse, "FUSE is not usable: there is no /dev/fuse",
                remedy: "load the kernel's module (modprobe fuse); in a container, start it with --device /dev/fuse")
        case .deviceNotOpenable(let number):
            self.init(
                .fuse, "FUSE is not usable: /dev/fuse can't be opened: \(SystemError.text(number))",
                remedy: "mount as root, or have root open the device to users (chmod 666 /dev/fuse); in a container, "
                    + "add --device /dev/fuse --cap-add SYS_ADMIN")
        case .fusermountMissing:
            self.init(
                .fuse, "FUSE is not usable: fusermount3, which mounts for users, is missing",
                remedy: "apt-get install fuse3")
        case .allowOtherRefused:
            self.init(
                .fuse, "allow-other is refused to users other than root",
                remedy: "have root add the line user_allow_other to /etc/fuse.conf")
        case .refused, .notMounted, .noThreads, .detachFailed:
            self.init(.fuse, "mounting on \(shown) failed: \(error.message)")
        }
    }
}
