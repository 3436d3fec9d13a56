import FuzzSupport
import OSSClient

@testable import MountCommand

/// The forms that values have; each parser gets each argument, and what follows an `=` in it.
enum OptionTexts {
    static func examine(_ argument: [UInt8]) throws(Finding) {
        try examineBucket(argument)
        let (_, value) = ArgumentParser<MountOptions>.split(argument[...])
        guard let text = String(validating: value ?? argument, as: UTF8.self) else { return }
        try examineQuantities(text)
        try examineEndpoint(text)
        if let words = CommandWords.split(Array(text.utf8)) {
            let again = CommandWords.split(OptionPrinter.line(words))
            try requireEqual(again, words, "a command has other words when it is read again")
        }
    }

    private static func examineQuantities(_ text: String) throws(Finding) {
        if let size = Quantity.size(text) {
            try require(size >= 0, "a size of \(size)")
            try requireEqual(Quantity.size(Quantity.text(bytes: size)), size, "a size is another one")
        }
        guard let time = Quantity.time(text) else { return }
        try require(time >= .zero, "a time of \(time)")
        try requireEqual(Quantity.time(Quantity.text(time: time)), time, "a time is another one")
    }

    private static func examineBucket(_ argument: [UInt8]) throws(Finding) {
        let address: BucketAddress
        do throws(CommandError) {
            address = try BucketAddress(argument)
        } catch {
            return try Options.examine(error)
        }
        let prefix = address.prefix
        try require(prefix.isEmpty || prefix.last == UInt8(ascii: "/"), "a prefix without a slash at its end")
        for segment in prefix.dropLast().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let isNone = segment.isEmpty && !prefix.isEmpty
            try require(
                !isNone && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8),
                "a prefix that no directory can have")
        }
        let printed = Array("oss://\(address.bucket)/".utf8) + prefix
        let again = try? BucketAddress(printed)
        try require(again?.bucket == address.bucket && again?.prefix == prefix, "a bucket is another one")
    }

    private static func examineEndpoint(_ text: String) throws(Finding) {
        let endpoint: Endpoint
        do throws(EndpointError) {
            endpoint = try Endpoint(text)
        } catch {
            return try require(!Pieces.steersTerminals(error.message), "a complaint steers terminals")
        }
        // Nothing of it is dropped unseen: only the case of letters, zeros before a port, and a slash at the end.
        let scheme = endpoint.isSecure ? "https://" : "http://"
        let port = endpoint.port.map { ":\($0)" } ?? ""
        var given = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if given.last == UInt8(ascii: "/") { given.removeLast() }
        if !given.starts(with: scheme.utf8) { given = Array(scheme.utf8) + given }
        if let colon = given.lastIndex(of: UInt8(ascii: ":")), !port.isEmpty {
            let digits = given[(colon + 1)...].drop { $0 == UInt8(ascii: "0") }
            given = Array(given[...colon]) + digits
        }
        try requireEqual(Array((scheme + endpoint.host + port).utf8), given, "an endpoint is not what was given")
        let again = try? Endpoint(scheme + endpoint.host + port)
        try requireEqual(again, endpoint, "an endpoint is another one when it is read again")
        try require(!(endpoint.region?.isEmpty ?? false), "a region without a name")
    }
}
