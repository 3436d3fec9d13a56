// Names and keys are bytes: equal when their bytes are equal, ordered as unsigned bytes, split at 0x2F. No String of
// Swift holds one, as it would take NFC and NFD for the same and replace what isn't UTF-8.

/// An object's key: bytes, usually UTF-8, in which `/` separates directories by convention.
package struct ObjectKey: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// One segment of a path: 1 to 255 bytes without `/` and NUL, neither `.` nor `..`.
package struct FileName: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    /// The longest name in bytes: NAME_MAX of Linux, `limits.h`.
    package static let maximumBytes = 255

    /// Nil where the bytes can't be a name in a directory.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        let dot = UInt8(ascii: ".")
        guard !bytes.isEmpty, bytes.count <= Self.maximumBytes, bytes != [dot], bytes != [dot, dot] else { return nil }
        guard !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    package static func < (left: FileName, right: FileName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// Whether the bytes are UTF-8, as keys of OSS must be.
    package var isUTF8: Bool {
        bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
    }
}

/// The server's name of one version of an object's bytes, with its quotes as they came.
package struct ETag: Hashable, Sendable {
    package let bytes: [UInt8]
    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}

/// Bytes `lowerBound` up to, not including, `upperBound` of an object.
package typealias ByteRange = Range<Int64>
