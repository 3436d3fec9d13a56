/// Arguments taken apart; nothing is applied yet.
struct ParsedArguments<Options: Sendable>: Sendable {
    struct Setting: Sendable {
        let option: OptionDefinition<Options>
        let value: OptionValue
    }

    var operands: [[UInt8]] = []
    /// In the order given: of two for one option the later counts.
    var settings: [Setting] = []
    var wantsHelp = false

    /// Sets what was given.
    func apply(to options: inout Options) throws(CommandError) {
        for setting in settings { try setting.option.apply(&options, setting.value) }
    }
}

/// Takes `--name VALUE`, `--name=VALUE`, `-o name=value[,name]`, letters and operands apart.
///
/// Our own, as getopt and fuse_opt know neither config files nor lists after -o.
struct ArgumentParser<Options: Sendable>: Sendable {
    typealias Definition = OptionDefinition<Options>

    /// How to see the options, for the ends of messages: `ossmount mount --help`.
    let helpCommand: String
    let options: [Definition]
    /// The words that only stand after -o, by name; nil where -o is not taken at all.
    let listWord: (@Sendable (String) -> Definition?)?

    func parse(_ arguments: [[UInt8]]) throws(CommandError) -> ParsedArguments<Options> {
        var parsed = ParsedArguments<Options>()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument.elementsEqual("--".utf8) {
                parsed.operands += rest
                break
            }
            if argument.starts(with: "--".utf8) {
                try parseLong(argument.dropFirst(2), &rest, &parsed)
            } else if argument.first == UInt8(ascii: "-"), argument.count > 1 {
                try parseLetters(argument.dropFirst(), &rest, &parsed)
            } else {
                parsed.operands.append(argument)
            }
        }
        return parsed
    }

    /// The option of that name; `allow_other` is taken for `allow-other`, as mount(8)'s own words have underscores.
    func option(named name: String) -> Definition? {
        let wanted = name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        return options.first { $0.name.utf8.elementsEqual(wanted) }
    }

    /// The option of that name, or the error that names the nearest one.
    func knownOption(_ name: String) throws(CommandError) -> Definition {
        if let option = option(named: name) { return option }
        // Whoever tries to pass a key must learn that it is in the process list already, and not see it repeated.
        if name.contains("secret") || name.contains("access-key") || name.contains("access_key") {
            throw CommandError(
                .usage, "keys are not taken as arguments, which every user of this machine can read",
                remedy: "export OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET, and replace a key that was typed here")
        }
        let nearest = NearestName.find(name, in: options.map(\.name))
        let hint = nearest.map { "did you mean \($0)? " } ?? ""
        throw CommandError(
            .usage, "there is no option '\(printable(name.utf8))'", remedy: "\(hint)\(helpCommand) lists all options")
    }

    private func parseLong(
        _ argument: ArraySlice<UInt8>, _ rest: inout ArraySlice<[UInt8]>, _ parsed: inout ParsedArguments<Options>
    ) throws(CommandError) {
        let (name, attached) = Self.split(argument)
        if name == "help" {
            parsed.wantsHelp = true
            return
        }
        let option = try knownOption(name)
        try add(option, attached, &rest, &parsed)
    }

    private func parseLetters(
        _ letters: ArraySlice<UInt8>, _ rest: inout ArraySlice<[UInt8]>, _ parsed: inout ParsedArguments<Options>
    ) throws(CommandError) {
        var letters = letters
        while let letter = letters.popFirst() {
            switch letter {
            case UInt8(ascii: "h"): parsed.wantsHelp = true
            case UInt8(ascii: "o") where listWord != nil:
                // The list may be attached, as in -oro.
                guard let list = letters.isEmpty ? rest.popFirst() : Array(letters) else {
                    throw CommandError(.usage, "-o needs a list of options")
                }
                try parseList(list, &parsed)
                return
            default:
                guard let option = options.first(where: { $0.letter == letter }) else {
                    throw CommandError(
                        .usage, "there is no option '-\(printable([letter]))'",
                        remedy: "\(helpCommand) lists all options")
                }
                parsed.settings.append(.init(option: option, value: OptionValue(name: option.name, bytes: nil)))
            }
        }
    }

    private func parseList(_ list: [UInt8], _ parsed: inout ParsedArguments<Options>) throws(CommandError) {
        for item in Self.items(of: list) where !item.isEmpty {
            let (name, value) = Self.split(item[...])
            let option: Definition
            if let known = self.option(named: name) {
                option = known
            } else if let word = listWord?(name) {
                option = word
            } else {
                option = try knownOption(name)
            }
            if option.valueName != nil, value == nil {
                throw CommandError(.usage, "option \(name) needs a value: \(name)=\(option.valueName ?? "")")
            }
            parsed.settings.append(.init(option: option, value: OptionValue(name: name, bytes: value)))
        }
    }

    private func add(
        _ option: Definition, _ attached: [UInt8]?, _ rest: inout ArraySlice<[UInt8]>,
        _ parsed: inout ParsedArguments<Options>
    ) throws(CommandError) {
        var value = attached
        if option.valueName != nil, value == nil {
            guard let next = rest.popFirst() else {
                throw CommandError(
                    .usage, "option \(option.name) needs a value: --\(option.name) \(option.valueName ?? "")")
            }
            value = next
        }
        parsed.settings.append(.init(option: option, value: OptionValue(name: option.name, bytes: value)))
    }

    /// `name=value` into both; the name as text, as all names are ASCII (what isn't UTF-8 names no option).
    static func split(_ item: ArraySlice<UInt8>) -> (name: String, value: [UInt8]?) {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return (printable(item), nil) }
        return (printable(item[..<equals]), Array(item[(equals + 1)...]))
    }

    /// The items of a list at its commas; `\,` is a comma inside a value, as libfuse has it.
    private static func items(of list: [UInt8]) -> [[UInt8]] {
        var items: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in list {
            if isEscaped {
                if byte != UInt8(ascii: ",") { items[items.count - 1].append(UInt8(ascii: "\\")) }
                items[items.count - 1].append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: ",") {
                items.append([])
            } else {
                items[items.count - 1].append(byte)
            }
        }
        if isEscaped { items[items.count - 1].append(UInt8(ascii: "\\")) }
        return items
    }
}
