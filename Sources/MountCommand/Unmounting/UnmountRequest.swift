/// What `ossmount umount` was asked for.
struct UnmountRequest: Sendable, Equatable {
    struct Options: Sendable, Equatable {
        /// 5 min: as long as the serving process itself tries.
        var timeout = Duration.seconds(300)
    }

    var directory: [UInt8]
    var options = Options()

    private static let parser = ArgumentParser<Options>(
        helpCommand: "ossmount umount --help",
        options: [
            OptionDefinition("timeout", value: "TIME", default: "5m", help: "how long to wait") {
                options, value throws(CommandError) in
                options.timeout = try value.time(in: .zero ... .seconds(24 * 3600))
            }
        ], listWord: nil)

    /// The request in `arguments`, which follow the word umount; nil where they ask for help.
    init?(_ arguments: [[UInt8]]) throws(CommandError) {
        let parsed = try Self.parser.parse(arguments)
        if parsed.wantsHelp { return nil }
        guard parsed.operands.count == 1 else {
            throw CommandError(
                .usage, parsed.operands.isEmpty ? "a directory is needed" : "more than one directory was given",
                remedy: "usage: ossmount umount DIR [--timeout TIME]")
        }
        directory = parsed.operands[0]
        try parsed.apply(to: &options)
    }
}
