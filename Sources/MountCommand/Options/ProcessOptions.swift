import Instrumentation

extension OptionTable {
    private static let startTimeoutRange: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    static let processOptions = OptionHeading(
        title: "Process",
        options: [
            OptionDefinition<MountOptions>(
                "foreground", letter: "f", help: "stay in the foreground and log to standard error; also -f"
            ) { options, value throws(CommandError) in options.isForeground = try value.flag() },
            OptionDefinition<MountOptions>(
                "start-timeout", value: "TIME",
                range: "\(Quantity.text(time: startTimeoutRange.lowerBound)) to "
                    + Quantity.text(time: startTimeoutRange.upperBound),
                default: Quantity.text(time: MountOptions().startTimeout),
                help: "how long the first answer of the bucket may take before the mount is given up"
            ) { options, value throws(CommandError) in options.startTimeout = try value.time(in: startTimeoutRange) },
            OptionDefinition<MountOptions>(
                "log-level", value: "LEVEL", range: "debug, info, warning, error", default: "info",
                help: "what is logged: events of this weight and above"
            ) { options, value throws(CommandError) in options.logLevel = try level(value) },
            OptionDefinition<MountOptions>(
                "log-file", value: "FILE", default: "standard error with -f, else syslog",
                help: "append the log to this file, which SIGHUP opens anew after it was moved away"
            ) { options, value throws(CommandError) in options.logFile = try value.path() },
            OptionDefinition<MountOptions>(
                "config", value: "FILE", default: "none",
                help: "read options from FILE first, one `name = value` a line; # begins a comment"
                    // Nothing to set: `MountArguments` reads the file before all other options.
            ) { _, value throws(CommandError) in _ = try value.path() },
            OptionDefinition<MountOptions>(
                "core-dumps", value: "on|off", default: "off",
                help: "let a crash leave a core file, which holds keys and data"
            ) { options, value throws(CommandError) in options.allowsCoreDumps = try value.flag() },
        ])

    private static func level(_ value: OptionValue) throws(CommandError) -> LogLevel {
        let word = try value.text()
        for level in LogLevel.allCases where level.word.description == word { return level }
        throw CommandError(
            .usage, "option log-level is one of debug, info, warning, error, not '\(printable(word.utf8))'")
    }
}
