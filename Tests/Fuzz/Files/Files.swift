import FuzzSupport

@testable import MountCommand

/// The files that users write: an input is one, and each parser gets it.
enum Files: FuzzTarget {
    static let name = "files"

    private static let path = Array("/etc/ossmount.conf".utf8)

    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        try examineConfig(input, isPlanted: isPlanted)
        try SecretFiles.examine(input)
    }

    private static func examineConfig(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        let parsed: ParsedArguments<MountOptions>
        do throws(CommandError) {
            parsed = try ConfigFile.parse(input, named: path, with: MountRequest.parser)
        } catch {
            try requireEqual(error.code, .usage, "a config file ends with another status")
            try require(!Pieces.steersTerminals(error.text), "a complaint steers terminals: \(error.text)")
            return try require(
                error.message.hasPrefix("/etc/ossmount.conf, line "), "a complaint names no line: \(error.message)")
        }
        guard let options = options(parsed) else { throw Finding("a setting that was tried can't be applied") }
        // Blanks and ends of lines are nothing, and arguments mean the same.
        for (before, around, after) in [("", "=", "\n"), (" ", " = ", "\r\n"), ("\t", "\t=\t", " \t\n# end\n\n")] {
            var text: [UInt8] = []
            for setting in parsed.settings {
                let value = setting.value.bytes.map { Array(around.utf8) + $0 } ?? []
                text += Array(before.utf8) + Array(setting.option.name.utf8) + value + Array(after.utf8)
            }
            guard let again = try? ConfigFile.parse(text, named: path, with: MountRequest.parser) else {
                throw Finding("a config file can't be read again: \(String(validating: text, as: UTF8.self) ?? "")")
            }
            try requireEqual(self.options(again), options, "a config file is another one when it is read again")
        }
        let arguments = parsed.settings.map { setting in
            Array("--\(setting.option.name)".utf8) + (setting.value.bytes.map { [0x3D] + $0 } ?? [])
        }
        guard let same = try? MountRequest.parser.parse(arguments) else {
            throw Finding("what a config file says is refused as arguments")
        }
        try requireEqual(self.options(same), options, "a config file and the same arguments differ")
        guard isPlanted, let file = options.caFile else { return }
        // 16 bytes: the longest in the corpus.
        try throwPlanted(ifAll: (16...20).map { file.count > $0 })
    }

    private static func options(_ parsed: ParsedArguments<MountOptions>) -> MountOptions? {
        var options = MountOptions()
        guard (try? parsed.apply(to: &options)) != nil else { return nil }
        return options
    }
}
