import FuzzSupport

@testable import MountCommand

/// Command lines: an input is one, an argument a line.
enum Options: FuzzTarget {
    static let name = "options"

    static func examine(_ input: [UInt8], isPlanted: Bool) throws(Finding) {
        // No argument holds a NUL.
        let arguments = Pieces.lines(input.filter { $0 != 0 })
        for argument in arguments { try OptionTexts.examine(argument) }
        try examineMount(arguments, isPlanted: isPlanted)
        try examineUnmount(arguments)
    }

    private static func examineMount(_ arguments: [[UInt8]], isPlanted: Bool) throws(Finding) {
        // It names files of this machine, which are not to be read here; target `files` has its parser.
        let names = arguments.map { String(validating: $0, as: UTF8.self) ?? "" }
        guard !names.contains(where: { $0.contains("config") }) else { return }
        let request: MountRequest?
        do throws(CommandError) {
            request = try MountRequest(arguments, variable: { _ in nil })
        } catch {
            return try examine(error)
        }
        guard let request else {
            let isAsked = arguments.contains { $0.first == UInt8(ascii: "-") && $0.contains(UInt8(ascii: "h")) }
            return try require(isAsked, "help that nobody asked for")
        }
        for form in [OptionPrinter.Form.separate, .attached, .list] {
            guard let printed = OptionPrinter.arguments(request, form) else { continue }
            let again: MountRequest?
            do throws(CommandError) {
                again = try MountRequest(printed, variable: { _ in nil })
            } catch {
                throw Finding("accepted options are refused as \(form): \(error.text)")
            }
            try requireEqual(again?.options, request.options, "options are others when they are read again as \(form)")
            try requireEqual(again?.bucket, request.bucket, "a bucket is another one")
            try requireEqual(again?.directory, request.directory, "a directory is another one")
        }
        // 11 bytes: the longest in the corpus.
        if isPlanted { try throwPlanted(ifAll: (11...15).map { request.directory.count > $0 }) }
    }

    static func examine(_ error: CommandError) throws(Finding) {
        try requireEqual(error.code, .usage, "options end with another status")
        try require(!Pieces.steersTerminals(error.text), "a complaint steers terminals: \(error.text)")
    }

    private static func examineUnmount(_ arguments: [[UInt8]]) throws(Finding) {
        let request: UnmountRequest?
        do throws(CommandError) {
            request = try UnmountRequest(arguments)
        } catch {
            return try examine(error)
        }
        guard let request else { return }
        let time = Array(Quantity.text(time: request.options.timeout).utf8)
        let printed = [Array("--timeout".utf8), time, Array("--".utf8), request.directory]
        do throws(CommandError) {
            let again = try UnmountRequest(printed)
            if again == request { return }
        } catch {
            throw Finding("an accepted unmount is refused: \(error.text)")
        }
        throw Finding("an unmount is another one when it is read again: \(request)")
    }
}
