import Glibc

/// Content types by a name's extension, from the machine's mime.types.
package struct ContentTypes: Sendable {
    private let types: [[UInt8]: [UInt8]]

    /// The type of names that say nothing.
    package static let unknown = Array("application/octet-stream".utf8)
    /// The type of directory markers, as ossfs writes it.
    package static let directory = Array("application/x-directory".utf8)

    /// From lines of `TYPE EXTENSION…`, as in mime.types(5); the first type for an extension counts.
    package init(mimeTypes text: [UInt8]) {
        var types: [[UInt8]: [UInt8]] = [:]
        for line in text.split(separator: 0x0A) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let type = words.first, type.contains(UInt8(ascii: "/")) else { continue }
            for word in words.dropFirst() where types[Array(word)] == nil { types[Array(word)] = Array(type) }
        }
        self.types = types
    }

    /// The type by the extension after the last dot, in any case.
    package func type(of name: FileNameBytes) -> [UInt8] {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return Self.unknown }
        let lowered = name[(dot + 1)...].map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        return types[lowered] ?? Self.unknown
    }

    package typealias FileNameBytes = [UInt8]
}
