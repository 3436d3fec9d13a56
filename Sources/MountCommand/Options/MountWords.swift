/// The words of mount(8) that fstab and `mount -t fuse.ossmount` pass after -o.
enum MountWords {
    /// What the kernel acts on; passed on with the mount.
    private static let kernelWords: Set<String> = [
        "suid", "nosuid", "dev", "nodev", "exec", "noexec", "atime", "noatime", "sync", "async", "dirsync",
    ]

    /// What is for mount(8), systemd or nobody; nothing to do here. Times of access are not kept, so the words about
    /// them (but atime and noatime, which the kernel knows) change nothing; default_permissions is always on.
    private static let ignoredWords: Set<String> = [
        "defaults", "auto", "noauto", "user", "nouser", "users", "owner", "group", "nofail", "_netdev", "relatime",
        "norelatime", "strictatime", "nostrictatime", "lazytime", "nolazytime", "diratime", "nodiratime",
        "default_permissions", "comment",
    ]

    /// The word as an option; nil for a word that mount(8) doesn't know either.
    static func definition(_ name: String) -> OptionDefinition<MountOptions>? {
        switch name {
        case "ro":
            return OptionDefinition<MountOptions>(name, help: "") { options, _ throws(CommandError) in
                options.isReadOnly = true
                options.isReadOnlyByWord = true
            }
        // mount(8) passes rw whenever nobody said ro, which must not undo what the config file says.
        case "rw":
            return OptionDefinition<MountOptions>(name, help: "") { options, _ throws(CommandError) in
                if options.isReadOnlyByWord { options.isReadOnly = false }
            }
        case _ where kernelWords.contains(name):
            return OptionDefinition<MountOptions>(name, help: "") { options, _ throws(CommandError) in
                options.kernelWords.removeAll { $0 == name || $0 == opposite(of: name) }
                options.kernelWords.append(name)
            }
        // x-systemd.automount and the like are notes for other programs.
        case _ where ignoredWords.contains(name) || name.hasPrefix("x-"):
            return OptionDefinition<MountOptions>(name, help: "") { _, _ throws(CommandError) in }
        default: return nil
        }
    }

    private static func opposite(of word: String) -> String {
        switch word {
        case "sync": "async"
        case "async": "sync"
        default: word.hasPrefix("no") ? String(word.dropFirst(2)) : "no" + word
        }
    }
}
