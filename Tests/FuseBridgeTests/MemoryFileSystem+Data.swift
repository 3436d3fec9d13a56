@testable import FileSystemCore
import Glibc
import Instrumentation
import Runtime
import Transfer

extension MemoryFileSystem {
    func getattr(
        inode: InodeNumber, handle: HandleID?, context: OperationContext, reply: @escaping Reply<TimedAttributes>
    ) {
        perform("getattr", context, reply) { self.timed($0, inode) }
    }

    func setattr(
        inode: InodeNumber, change: AttributeChange, context: OperationContext,
        reply: @escaping Reply<TimedAttributes>
    ) {
        perform("setattr", context, reply) { state in
            guard var node = state.nodes[inode] else { return .failure(FileSystemError(ESTALE)) }
            if let permissions = change.permissions { node.attributes.permissions = permissions }
            if let uid = change.uid { node.attributes.uid = uid }
            if let gid = change.gid { node.attributes.gid = gid }
            if let size = change.size {
                let count = Int(size)
                node.data = Array(node.data.prefix(count)) + Array(repeating: 0, count: max(count - node.data.count, 0))
                node.attributes.size = size
            }
            if let time = change.accessTime { node.attributes.accessTime = Self.moment(time) }
            if let time = change.modificationTime { node.attributes.modificationTime = Self.moment(time) }
            state.nodes[inode] = node
            return self.timed(state, inode)
        }
    }

    func create(
        parent: InodeNumber, name: [UInt8], mode: UInt32, flags: Int32, context: OperationContext,
        reply: @escaping Reply<(entry: Entry, file: OpenedFile)>
    ) {
        perform("create", context, reply) { state in
            guard state.nodes[parent]?.children[name] == nil else { return .failure(FileSystemError(EEXIST)) }
            let caller = context.caller
            let inode = Self.add(&state, parent, name, .regular, mode, caller.uid, caller.gid)
            state.nodes[inode]?.opens += 1
            return self.entry(&state, inode).map { entry in
                (entry, OpenedFile(handle: HandleID(inode.rawValue), keepsPageCache: false))
            }
        }
    }

    func open(inode: InodeNumber, flags: Int32, context: OperationContext, reply: @escaping Reply<OpenedFile>) {
        perform("open", context, reply) { state in
            guard state.nodes[inode] != nil else { return .failure(FileSystemError(ESTALE)) }
            if flags & O_TRUNC != 0 {
                state.nodes[inode]?.data = []
                state.nodes[inode]?.attributes.size = 0
            }
            state.nodes[inode]?.opens += 1
            return .success(OpenedFile(handle: HandleID(inode.rawValue), keepsPageCache: true))
        }
    }

    func read(
        inode: InodeNumber, handle: HandleID, offset: Int64, count: Int, context: OperationContext,
        reply: @escaping Reply<ReadBytes>
    ) {
        perform("read", context, reply) { state in
            guard let data = state.nodes[inode]?.data else { return .failure(FileSystemError(ESTALE)) }
            let start = min(Int(offset), data.count)
            let end = min(start + count, data.count)
            return .success(Self.segments(of: Array(data[start..<end])))
        }
    }

    func write(
        inode: InodeNumber, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer, clearsPrivileges: Bool,
        context: OperationContext, reply: @escaping Reply<Int>
    ) {
        let copy = Array(bytes)
        perform("write", context, reply) { state in
            guard var node = state.nodes[inode] else { return .failure(FileSystemError(ESTALE)) }
            let end = Int(offset) + copy.count
            if node.data.count < end { node.data += Array(repeating: 0, count: end - node.data.count) }
            node.data.replaceSubrange(Int(offset)..<end, with: copy)
            node.attributes.size = Int64(node.data.count)
            node.attributes.modificationTime = .now
            if clearsPrivileges {
                node.attributes.permissions &= 0o1777
                state.privilegeClears += 1
                // The kernel left it to us, and goes on showing the mode that it knows.
                state.notifier?.invalidateInode(inode, dropsPages: false)
            }
            state.nodes[inode] = node
            return .success(copy.count)
        }
    }

    func fallocate(
        inode: InodeNumber, handle: HandleID, mode: Int32, offset: Int64, count: Int64, context: OperationContext,
        reply: @escaping Reply<Void>
    ) {
        perform("fallocate", context, reply) { state in
            guard mode == 0 else { return .failure(FileSystemError(EOPNOTSUPP)) }
            guard var node = state.nodes[inode] else { return .failure(FileSystemError(ESTALE)) }
            let lacking = max(Int(offset + count) - node.data.count, 0)
            node.data += Array(repeating: 0, count: lacking)
            node.attributes.size = Int64(node.data.count)
            state.nodes[inode] = node
            return .success(())
        }
    }

    func flush(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>) {
        perform("flush", context, reply) { _ in .success(()) }
    }

    func fsync(
        inode: InodeNumber, handle: HandleID, dataOnly: Bool, context: OperationContext, reply: @escaping Reply<Void>
    ) {
        perform(dataOnly ? "fdatasync" : "fsync", context, reply) { _ in .success(()) }
    }

    func release(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>) {
        perform("release", context, reply) { state in
            state.nodes[inode]?.opens -= 1
            return .success(())
        }
    }

    private func timed(_ state: State, _ inode: InodeNumber) -> Result<TimedAttributes, FileSystemError> {
        guard let node = state.nodes[inode] else { return .failure(FileSystemError(ESTALE)) }
        return .success(TimedAttributes(attributes: node.attributes, timeout: timeout))
    }

    private static func moment(_ time: AttributeChange.Time) -> WallTime {
        switch time {
        case .now: .now
        case .at(let moment): moment
        }
    }

    /// In pieces of 1000 bytes, so that the bridge has something to join.
    private static func segments(of data: [UInt8]) -> ReadBytes {
        let owner = Owner(data)
        let pieces = stride(from: 0, to: data.count, by: 1000).map { start in
            UnsafeRawBufferPointer(rebasing: owner.buffer[start..<min(start + 1000, data.count)])
        }
        return ReadBytes(segments: pieces, owners: [owner])
    }

    private final class Owner: @unchecked Sendable {
        // Unchecked: written once, in init.
        let buffer: UnsafeRawBufferPointer

        init(_ data: [UInt8]) {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
            copy.copyBytes(from: data)
            buffer = UnsafeRawBufferPointer(copy)
        }

        deinit { buffer.deallocate() }
    }
}
