import Glibc

/// Whether FUSE can be used here at all, told before anything is tried.
enum FuseDevice {
    static let path = "/dev/fuse"

    /// Opens the device and closes it again.
    static func check() throws(CommandError) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        let number = errno
        if descriptor >= 0 {
            close(descriptor)
            return
        }
        switch number {
        case ENOENT, ENODEV, ENXIO:
            throw CommandError(
                .fuse, "FUSE is not usable: \(path): \(SystemError.text(number))",
                remedy: "load the kernel's module (modprobe fuse); in a container, start it with --device \(path)")
        case EACCES, EPERM:
            throw CommandError(
                .fuse, "FUSE is not usable: \(path): \(SystemError.text(number))",
                remedy: "mount as root, or have root allow this user (chmod 666 \(path), or its group); "
                    + "in a container, add --device \(path) --cap-add SYS_ADMIN")
        default: throw CommandError(.fuse, "FUSE is not usable: \(path): \(SystemError.text(number))")
        }
    }
}
