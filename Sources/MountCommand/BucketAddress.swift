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
        // Which names a bucket can have is the client's to know, which checks it before anything is mounted.
        bucket = printable(name)
        prefix = try Self.prefix(rest.dropFirst(name.count))
        text = argument
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
