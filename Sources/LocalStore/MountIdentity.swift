import Checksums
import Glibc
import Instrumentation

/// Names one run of one mount, in keys of the bucket and in the cache folder: `3fa94c21-6d2f1b3c-9d03c7aa`.
///
/// Three words of eight hexadecimal digits: the host, the second of the start (modulo 2^32), and a random number.
package struct MountIdentity: Hashable, Sendable {
    package let bytes: [UInt8]

    /// How many bytes an identity has.
    package static let count = 26

    /// - Parameter host: which host it is, from `host(machineID:name:)`. - Parameter random: as drawn.
    package init(host: UInt32, startedAt: WallTime, random: UInt32) {
        let words = [host, UInt32(truncatingIfNeeded: startedAt.seconds), random]
        bytes = Array(words.map { Self.hexadecimal($0) }.joined(separator: [Self.hyphen]))
    }

    /// The identity that stands in a key or a folder's name; nil where there is none.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.count else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isRight = index % 9 == 8 ? byte == Self.hyphen : Self.digits.contains(byte)
            guard isRight else { return nil }
        }
        self.bytes = bytes
    }

    /// A new one, of this host and this moment.
    package static func make() -> MountIdentity {
        MountIdentity(host: thisHost, startedAt: .now, random: .random(in: 0 ... .max))
    }

    /// Whether both are of one host, as far as their first words tell.
    package func isSameHost(as other: MountIdentity) -> Bool { bytes.prefix(8) == other.bytes.prefix(8) }

    /// The host's word: of its machine-id(5), which must not be shown as it is, and its name, as containers of one image
    /// share the first.
    static func host(machineID: [UInt8], name: [UInt8]) -> UInt32? {
        guard let digest = try? Digest.sha256(Array("ossmount mount\0".utf8) + machineID + [0] + name) else {
            return nil
        }
        return digest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static var thisHost: UInt32 {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = host(machineID: machineID, name: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        // Without a digest: a host that no other start will take for its own, so that nobody sweeps its keys.
        return host ?? .random(in: 0 ... .max)
    }

    /// 32 digits; empty where the system has none.
    private static var machineID: [UInt8] {
        let descriptor = open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)).prefix { digits.contains($0) })
    }

    private static let hyphen = UInt8(ascii: "-")
    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ word: UInt32) -> [UInt8] {
        (0..<8).reversed().map { digits[Int(word >> (4 * UInt32($0)) & 15)] }
    }
}
