import Glibc

/// The kernel's read-ahead of one mount.
enum ReadAhead {
    /// 1 MiB: what one READ can carry; the default of 128 KiB makes eight times the requests of it.
    private static let kibibytes = "1024"

    /// Raises it where the system lets this process (root). It must come after INIT is answered, which sets it anew.
    ///
    /// - Parameter device: `major:minor` of st_dev.
    static func raise(device: String) {
        let descriptor = open("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, kibibytes, kibibytes.utf8.count)
        close(descriptor)
    }
}
