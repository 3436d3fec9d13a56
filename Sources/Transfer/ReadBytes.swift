/// Bytes of a file for one read; they stay valid as long as this value lives.
package struct ReadBytes: @unchecked Sendable {
    // Unchecked: the bytes do not change while one of the owners lives.
    /// In order; together as long as the read asked for, or up to the end of the file.
    package let segments: [UnsafeRawBufferPointer]
    private let owners: [AnyObject & Sendable]

    package init(segments: [UnsafeRawBufferPointer], owners: [AnyObject & Sendable]) {
        self.segments = segments
        self.owners = owners
    }

    package static let empty = ReadBytes(segments: [], owners: [])

    package var count: Int { segments.reduce(0) { $0 + $1.count } }
}
