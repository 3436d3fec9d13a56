extension OptionTable {
    private static let idRange: ClosedRange<UInt32> = 0...4_294_967_294

    static let mountPointOptions = OptionHeading(
        title: "Mount point",
        options: [
            OptionDefinition<MountOptions>(
                "nonempty", help: "mount over a directory that holds files, and hide them meanwhile"
            ) { options, value throws(CommandError) in options.allowsNonEmpty = try value.flag() },
            OptionDefinition<MountOptions>(
                "read-only", help: "refuse every change with EROFS; also -o ro"
            ) { options, value throws(CommandError) in options.isReadOnly = try value.flag() },
            OptionDefinition<MountOptions>(
                "allow-other",
                help: "let other users in, as far as the modes of the files allow; for users other than root "
                    + "/etc/fuse.conf must say user_allow_other"
            ) { options, value throws(CommandError) in options.allowsOthers = try value.flag() },
            OptionDefinition<MountOptions>(
                "uid", value: "NUMBER", default: "the mounting user",
                help: "the owner of files whose object names none"
            ) { options, value throws(CommandError) in options.uid = try value.number(in: idRange) },
            OptionDefinition<MountOptions>(
                "gid", value: "NUMBER", default: "the mounting user's group",
                help: "the group of files whose object names none"
            ) { options, value throws(CommandError) in options.gid = try value.number(in: idRange) },
            OptionDefinition<MountOptions>(
                "umask", value: "OCTAL", range: "0 to 777", default: "0",
                help: "the bits taken away from the modes of files (644) and directories (755) whose object names none"
            ) { options, value throws(CommandError) in options.umask = try value.number(in: 0...0o777, radix: 8) },
        ])
}
