/// The texts of `--help`, made of the option table.
enum Help {
    static let general = """
        ossmount \(Version.number): mounts an Alibaba Cloud OSS bucket as a directory

        usage:
          ossmount mount oss://BUCKET[/PREFIX] DIR [options]
          ossmount umount DIR [--timeout TIME]
          ossmount mount --help | umount --help | --help | --version

        Keys come from OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET in the environment, or as --credentials says.
        """

    static var mount: String {
        var text = """
            usage: ossmount mount oss://BUCKET[/PREFIX] DIR [options]

            Mounts the bucket, or what is under PREFIX in it, on the directory DIR. Returns once the bucket answers and
            the mount stands, and goes on in the background. Each option is --NAME VALUE, --NAME=VALUE, -o NAME=VALUE[,...],
            or a line NAME = VALUE of the file of --config. Sizes take KiB, MiB, GiB, TiB; times take ms, s, m, h, and are
            seconds without one.

            """
        for heading in OptionTable.headings {
            text += "\n\(heading.title):\n"
            for option in heading.options where !option.isHidden { text += entry(option) }
        }
        text += "\nExit status:\n"
        for code in ExitCode.allCases { text += "  \(code.rawValue)  \(meaning(of: code))\n" }
        text += "\nThe words of mount(8), as fstab has them (ro, noauto, nosuid, _netdev, ...), are taken after -o."
        return text
    }

    static let unmount = """
        usage: ossmount umount DIR [--timeout TIME]

        Detaches the mount at DIR at once and waits until all that was written is in the bucket, telling what it waits
        for. What is open in it stays usable until it is closed. A mount whose process is dead is cleared.

          --timeout TIME  how long to wait, 0 to 24h (default 5m)
        """

    /// The table of options in README, in Markdown.
    static var markdownTable: String {
        var text = "| option | values | default | meaning |\n|---|---|---|---|\n"
        for option in OptionTable.shown {
            let name = option.valueName.map { "`\(option.name)` \($0)" } ?? "`\(option.name)`"
            let fallback = option.defaultText.isEmpty ? "off" : option.defaultText
            let cells = [name, option.range, fallback, option.help].map(escaped)
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        return text
    }

    private static func meaning(of code: ExitCode) -> String {
        switch code {
        case .success: "mounted"
        case .failure: "anything else"
        case .usage: "wrong usage"
        case .credentials: "credentials are missing, or the server refuses them"
        case .bucket: "no such bucket, or the wrong region or endpoint"
        case .unreachable: "the server can't be reached within start-timeout"
        case .mountPoint: "the mount point is missing, not empty, already mounted, or stale"
        case .fuse: "FUSE is not usable here"
        case .date: "the server refuses this machine's date"
        }
    }

    private static func entry(_ option: OptionDefinition<MountOptions>) -> String {
        var text = option.help
        if !option.range.isEmpty { text += "; " + option.range }
        if !option.defaultText.isEmpty { text += " (default \(option.defaultText))" }
        let name = "  --" + option.name + (option.valueName.map { " " + $0 } ?? "")
        let lines = wrapped(text, width: 110 - indent)
        var result = name + String(repeating: " ", count: max(2, indent - name.count)) + (lines.first ?? "") + "\n"
        for line in lines.dropFirst() { result += String(repeating: " ", count: indent) + line + "\n" }
        return result
    }

    /// The column where help begins: past the longest name with its value.
    private static let indent = 26

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }

    private static func escaped(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
