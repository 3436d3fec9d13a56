/// What `oss://BUCKET[/PREFIX]` names.
struct BucketAddress: Sendable, Equatable {
    let bucket: String
    /// Bytes before every key, empty or ending in `/`.
    let prefix: [UInt8]
    /// As the user gave it, for the table of mounts.
    let text: [UInt8]

    private static let scheme = Array("oss://".utf8)

    /// Whether an argument is meant as a bucket.
    static func isAddress(_ argument: [UInt8]) -> Bool { argument.starts(with: scheme) }

    init(_ argument: [UInt8]) throws(CommandError) {
        guard Self.isAddress(argument) else {
            throw CommandError(
                .usage, "'\(printable(argument))' names no bucket", remedy: "write oss://BUCKET or oss://BUCKET/PREFIX")
        }
        let rest = argument.dropFirst(Self.scheme.count)
        let name = rest.prefix { $0 != UInt8(ascii: "/") }
        bucket = try Self.bucketName(name)
        prefix = try Self.prefix(rest.dropFirst(name.count))
        text = argument
    }

    /// 3 to 63 lower-case letters, digits and hyphens, with neither end a hyphen: OSS's rule, and what keeps the name a
    /// part of a host.
    private static func bucketName(_ bytes: ArraySlice<UInt8>) throws(CommandError) -> String {
        let isPlain: (UInt8) -> Bool = { byte in
            (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
        }
        let hyphen = UInt8(ascii: "-")
        guard (3...63).contains(bytes.count), bytes.allSatisfy({ isPlain($0) || $0 == hyphen }),
            bytes.first != hyphen, bytes.last != hyphen
        else {
            throw CommandError(
                .usage, "'\(printable(bytes))' is no bucket's name",
                remedy: "a name has 3 to 63 lower-case letters, digits and hyphens, and a hyphen at neither end")
        }
        return printable(bytes)
    }

    private static func prefix(_ path: ArraySlice<UInt8>) throws(CommandError) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var path = path
        if path.first == slash { path.removeFirst() }
        if path.last == slash { path.removeLast() }
        guard !path.isEmpty else { return [] }
        for segment in path.split(separator: slash, omittingEmptySubsequences: false) {
            let isDots = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
            guard !segment.isEmpty, !isDots else {
                throw CommandError(
                    .usage, "the prefix '\(printable(path))' has an empty, '.' or '..' segment",
                    remedy: "such keys have no place in a directory tree")
            }
        }
        guard String(validating: path, as: UTF8.self) != nil else {
            throw CommandError(.usage, "the prefix '\(printable(path))' is not UTF-8, as keys of OSS must be")
        }
        return Array(path) + [slash]
    }
}
