import Glibc

/// A file of options, one `name = value` or `name` a line; `#` begins a comment line, blank lines are nothing.
enum ConfigFile {
    /// 1 MiB: a thousand times what all options need; more is some other file.
    private static let maximumBytes = 1 << 20

    /// Reads the file at `path`; an error names the line.
    static func read(
        _ path: [UInt8], with parser: ArgumentParser<MountOptions>
    ) throws(CommandError)
        -> ParsedArguments<MountOptions>
    {
        switch FileBytes.read(path, limit: maximumBytes) {
        case .success(let bytes): return try parse(bytes, named: path, with: parser)
        case .failure(let error):
            throw CommandError(
                .usage, "config file \(printable(path)) can't be read: \(SystemError.text(error.number))")
        }
    }

    static func parse(
        _ bytes: [UInt8], named path: [UInt8], with parser: ArgumentParser<MountOptions>
    ) throws(CommandError) -> ParsedArguments<MountOptions> {
        var parsed = ParsedArguments<MountOptions>()
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            do {
                parsed.settings.append(try setting(line, with: parser))
            } catch {
                throw CommandError(
                    error.code, "\(printable(path)), line \(index + 1): \(error.message)", remedy: error.remedy)
            }
        }
        return parsed
    }

    private static func setting(
        _ line: ArraySlice<UInt8>, with parser: ArgumentParser<MountOptions>
    ) throws(CommandError) -> ParsedArguments<MountOptions>.Setting {
        let equals = line.firstIndex(of: UInt8(ascii: "="))
        let name = printable(trimmed(line[..<(equals ?? line.endIndex)]))
        let option = try parser.knownOption(name)
        guard option.name != "config" else { throw CommandError(.usage, "a config file can't name another one") }
        let value = equals.map { Array(trimmed(line[($0 + 1)...])) }
        if let valueName = option.valueName, value == nil {
            throw CommandError(.usage, "option \(name) needs a value: \(name) = \(valueName)")
        }
        let applied = OptionValue(name: option.name, bytes: value)
        var scratch = MountOptions()
        // Tried here already, so that the error can name the line.
        try option.apply(&scratch, applied)
        return .init(option: option, value: applied)
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }
}
