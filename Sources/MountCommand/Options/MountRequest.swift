/// What `ossmount mount` was asked for: a bucket, a directory, and options.
struct MountRequest: Sendable {
    var bucket: BucketAddress
    /// As given; still relative, still unchecked.
    var directory: [UInt8]
    var options: MountOptions

    static let parser = ArgumentParser<MountOptions>(
        helpCommand: "ossmount mount --help", options: OptionTable.all, listWord: MountWords.definition)

    /// The request in `arguments`, which follow the word mount; nil where they ask for help.
    ///
    /// What counts more comes later: the default, the environment, the config file, the arguments.
    ///
    /// - Parameter variable: looks up a variable of the environment.
    init?(_ arguments: [[UInt8]], variable: (String) -> [UInt8]?) throws(CommandError) {
        let parsed = try Self.parser.parse(arguments)
        if parsed.wantsHelp { return nil }
        let usage = "usage: ossmount mount oss://BUCKET[/PREFIX] DIR [options]; ossmount mount --help lists the options"
        guard parsed.operands.count == 2 else {
            let complaint =
                parsed.operands.count < 2
                ? "a bucket and a directory are needed" : "more than a bucket and a directory were given"
            throw CommandError(.usage, complaint, remedy: usage)
        }
        bucket = try BucketAddress(parsed.operands[0])
        directory = parsed.operands[1]
        options = MountOptions()
        for (name, option) in [("OSS_ENDPOINT", "endpoint"), ("OSS_REGION", "region")] {
            guard let value = variable(name), !value.isEmpty else { continue }
            try Self.parser.knownOption(option).apply(&options, OptionValue(name: name, bytes: value))
        }
        for setting in parsed.settings where setting.option.name == "config" {
            try ConfigFile.read(setting.value.path(), with: Self.parser).apply(to: &options)
        }
        try parsed.apply(to: &options)
        if options.credentialsHeaders != nil || options.credentialsDecoder != nil {
            guard case .url = options.credentials else {
                throw CommandError(
                    .usage, "credentials-headers and credentials-decoder are for credentials=url:URL alone")
            }
        }
        guard options.endpoint != nil || options.region != nil else {
            throw CommandError(
                .usage, "neither an endpoint nor a region is given",
                remedy: "add --endpoint https://oss-cn-hangzhou.aliyuncs.com, or --region cn-hangzhou")
        }
    }
}
