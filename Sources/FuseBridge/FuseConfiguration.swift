/// How a file system is mounted.
package struct FuseConfiguration: Sendable {
    /// The directory to mount on, as the bytes of a path; made absolute by `mount`.
    package var mountPoint: [UInt8]
    /// What stands as the source in `mount` and `df`, for example `oss://BUCKET/PREFIX`.
    package var source: String
    /// Whether other users than the mounting one may enter (needs `user_allow_other` in fuse.conf unless root mounts).
    package var allowsOtherUsers = false
    package var isReadOnly = false
    /// Further mount options, one each (`noexec`), handed to libfuse as they are.
    package var extraOptions: [String] = []

    /// The part after `fuse.` in the mount's type.
    package static let subtype = "ossmount"

    package init(mountPoint: [UInt8], source: String) {
        self.mountPoint = mountPoint
        self.source = source
    }

    /// The arguments for fuse_session_new; the first is the program's name.
    var arguments: [String] {
        var options = ["fsname=" + Self.escaped(source), "subtype=" + Self.subtype, "default_permissions"]
        if allowsOtherUsers { options.append("allow_other") }
        if isReadOnly { options.append("ro") }
        options += extraOptions
        return [Self.subtype] + options.map { "-o" + $0 }
    }

    /// In libfuse's lists of options a comma ends the option unless a backslash stands before it.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == "," || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
