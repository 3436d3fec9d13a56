import LocalStore
import ObjectStore

/// What our own keys, under `PREFIX/.ossmount/`, are for. No listing of this mount shows them.
package enum HiddenKind: String, Sendable, CaseIterable {
    /// Uploads that must not show under their file's name before they are whole.
    case upload = "up"
    /// Bytes of files that were removed while programs have them open.
    case orphan
    /// Objects of others that are out of the way of an upload for a moment; nothing else has their bytes, so that they are
    /// never deleted unseen.
    case aside

    /// What a later start on the same machine may delete behind a mount that is dead.
    static let swept: [HiddenKind] = [.upload, .orphan]
}

extension FileSystemConfiguration {
    /// What our own keys of one kind and one mount begin with.
    package func hiddenPrefix(_ kind: HiddenKind, of mount: MountIdentity) -> [UInt8] {
        prefix + FileSystem.hiddenName + Array("/\(kind.rawValue)/".utf8) + mount.bytes
    }
}

extension FileSystem {
    /// What all of our own keys begin with, but for the root's attributes.
    var hiddenPrefix: [UInt8] { configuration.prefix + Self.hiddenName + [UInt8(ascii: "/")] }

    /// A key that nobody else makes: `PREFIX/.ossmount/KIND/MOUNT-ID-RANDOM`.
    func hiddenKey(_ kind: HiddenKind) -> ObjectKey {
        let random = Array(String(UInt64.random(in: 1 << 60 ... .max), radix: 16).utf8)
        return ObjectKey(hiddenPrefix(kind, of: configuration.mountID) + [UInt8(ascii: "-")] + random)
    }

    /// What all such keys of one mount begin with.
    func hiddenPrefix(_ kind: HiddenKind, of mount: MountIdentity) -> [UInt8] {
        configuration.hiddenPrefix(kind, of: mount)
    }

    /// How many hidden objects of this mount are in the bucket, as far as is known; at its end, what a later start must
    /// tidy up.
    package var hiddenObjects: Int { hiddenCount.withLock { $0 } + uploads.hiddenCount }
}
