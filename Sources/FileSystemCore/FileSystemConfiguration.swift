import LocalStore
import ObjectStore
import Runtime

/// What the file system is told at its start.
package struct FileSystemConfiguration: Sendable {
    /// The part of the bucket to show: empty, or bytes that end in `/`.
    package var prefix: [UInt8]
    /// For objects that don't say: the mounting user.
    package var uid: UInt32
    package var gid: UInt32
    /// Bits taken away from the permissions of objects that don't say.
    package var umask: UInt32
    /// How long the server's word on names and attributes is trusted.
    package var metadataLifetime: Duration
    /// How long one operation may take, repeats included.
    package var deadline: Duration
    /// Names this machine in conflict copies.
    package var hostName: [UInt8]
    /// Whether changes are refused (EROFS).
    package var isReadOnly: Bool
    /// Whether a replaced object keeps its ACL, at the cost of a request for each that others made.
    package var keepsACL: Bool
    /// Names this run of this mount in its hidden keys.
    package var mountID: MountIdentity

    package init(
        prefix: [UInt8] = [], uid: UInt32, gid: UInt32, umask: UInt32 = 0, metadataLifetime: Duration = .seconds(10),
        deadline: Duration = .seconds(300), hostName: [UInt8], isReadOnly: Bool = false,
        keepsACL: Bool = true, mountID: MountIdentity = .make()
    ) {
        self.prefix = prefix
        self.uid = uid
        self.gid = gid
        self.umask = umask
        self.metadataLifetime = metadataLifetime
        self.deadline = deadline
        self.hostName = hostName
        self.isReadOnly = isReadOnly
        self.keepsACL = keepsACL
        self.mountID = mountID
    }
}
