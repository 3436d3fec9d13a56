/// One option: everything that its parsing, `--help` and README's table need.
struct OptionDefinition<Options: Sendable>: Sendable {
    /// Kebab case, as after `--`.
    let name: String
    /// The one letter that stands for it too, if any.
    let letter: UInt8?
    /// What stands for the value in `--help`, `SIZE`; nil for a switch.
    let valueName: String?
    /// Which values are allowed, `8MiB to 1TiB`; empty where the value's name says it.
    let range: String
    /// The default as the user would write it, or in words; empty for `off`.
    let defaultText: String
    /// Whether it is for tests alone, and stands neither in `--help` nor in README's table.
    let isHidden: Bool
    /// One sentence or two, no full stop at the end.
    let help: String
    /// Sets the value; its errors name the option and the range.
    let apply: @Sendable (inout Options, OptionValue) throws(CommandError) -> Void

    init(
        _ name: String, letter: Character? = nil, value valueName: String? = nil, range: String = "",
        isHidden: Bool = false, default defaultText: String = "", help: String,
        apply: @escaping @Sendable (inout Options, OptionValue) throws(CommandError) -> Void
    ) {
        self.name = name
        self.letter = letter?.asciiValue
        self.valueName = valueName
        self.range = range
        self.isHidden = isHidden
        self.defaultText = defaultText
        self.help = help
        self.apply = apply
    }
}

/// Options that stand together in `--help`.
struct OptionHeading: Sendable {
    let title: String
    let options: [OptionDefinition<MountOptions>]
}

/// All options of `ossmount mount`, in the order of `--help`; one file per heading.
enum OptionTable {
    static let headings = [serverOptions, credentialsOptions, cacheOptions, mountPointOptions, processOptions]

    static var all: [OptionDefinition<MountOptions>] { headings.flatMap(\.options) }

    /// What users are told of.
    static var shown: [OptionDefinition<MountOptions>] { all.filter { !$0.isHidden } }
}
