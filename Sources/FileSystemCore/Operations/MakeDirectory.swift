import Glibc
import Instrumentation
import ObjectStore
import Runtime

extension FileSystem {
    package func mkdir(
        parent: InodeNumber, name: [UInt8], mode: UInt32, context: OperationContext, reply: @escaping Reply<Entry>
    ) {
        dispatch(context, reply, undo: { [self] in forget(inode: $0.attributes.inode, count: 1) }) {
            [self] () throws(FileSystemError) in
            let name = try newName(name, under: parent)
            let request = requestContext(context)
            let key = try resolve(name, under: parent, request) { existing, _, table throws(FileSystemError) in
                guard existing == nil else { throw FileSystemError(EEXIST) }
                let directory = try Self.directory(parent, table)
                guard let prefix = directoryPrefix(of: directory, table) else { throw FileSystemError(ENOENT) }
                return ObjectKey(prefix + name.bytes + [UInt8(ascii: "/")])
            }
            try check(key)
            let now = clock.wall
            let posix = PosixMetadata(
                permissions: mode & 0o7777 & ~context.caller.umask, uid: context.caller.uid, gid: context.caller.gid,
                modificationTime: now, accessTime: nil)
            // What another host made since the parent was listed is not taken over.
            let metadata = try putMarker(key, posix, keeping: nil, isNew: true, request)
            return try table.withLock { table throws(FileSystemError) in
                let directory = try Self.directory(parent, table)
                let time = clock.monotonic
                if let existing = directory.directory.children[name] { table.detach(existing) }
                let node = table.add(.directory, file: nil, name: name, under: directory)
                node.directory.metadata = posix
                node.directory.marker = metadata
                node.directory.metadataCheckedAt = time
                node.directory.checkedAt = time
                node.directory.modificationTime = now
                // It did not exist a moment ago: its listing is known.
                node.directory.install([:], startedAt: time)
                directory.directory.noteChange(name, to: .directory, at: time, wall: now)
                return count(node)
            }
        }
    }

    /// Writes a directory's marker with these attributes, and what `old` has that isn't ours; a new one must not be there.
    func putMarker(
        _ key: ObjectKey, _ posix: PosixMetadata, keeping old: ObjectMetadata?, isNew: Bool = false,
        _ context: RequestContext
    ) throws(FileSystemError) -> ObjectMetadata {
        var metadata = old ?? ObjectMetadata()
        if metadata.contentType == nil { metadata.contentType = ContentTypes.directory }
        posix.write(into: &metadata.user, kind: .directory)
        do throws(ObjectStoreError) {
            let request = PutRequest(
                key: key, metadata: metadata, forbidOverwrite: isNew && store.capabilities.hasExclusiveCreate)
            _ = try store.put(request, body: EmptyBody(), context)
        } catch {
            throw FileSystemError(error)
        }
        return metadata
    }
}

/// No bytes.
struct EmptyBody: ObjectBody {
    var count: Int64 { 0 }
    /// CRC-64/XZ of nothing is zero.
    var crc64: UInt64? { 0 }
    func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
}
