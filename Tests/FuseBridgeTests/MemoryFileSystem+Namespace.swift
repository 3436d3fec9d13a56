@testable import FileSystemCore
import Glibc
import Runtime

extension MemoryFileSystem {
    func lookup(
        parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<LookupResult>
    ) {
        perform("lookup", context, reply) { state in
            guard let inode = state.nodes[parent]?.children[name] else {
                return .success(.absent(timeout: state.absentTimeout))
            }
            return self.entry(&state, inode).map { .found($0) }
        }
    }

    func forget(inode: InodeNumber, count: UInt64) {
        state.withLock { state in
            state.calls["forget", default: 0] += 1
            guard var node = state.nodes[inode] else { return }
            node.lookups -= min(count, node.lookups)
            state.nodes[inode] = node
        }
        state.wakeAll()
    }

    func mkdir(
        parent: InodeNumber, name: [UInt8], mode: UInt32, context: OperationContext, reply: @escaping Reply<Entry>
    ) {
        perform("mkdir", context, reply) { state in
            guard state.nodes[parent]?.children[name] == nil else { return .failure(FileSystemError(EEXIST)) }
            let caller = context.caller
            let inode = Self.add(&state, parent, name, .directory, mode, caller.uid, caller.gid)
            return self.entry(&state, inode)
        }
    }

    func rmdir(parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<Void>) {
        perform("rmdir", context, reply) { state in
            guard let inode = state.nodes[parent]?.children[name] else { return .failure(FileSystemError(ENOENT)) }
            guard state.nodes[inode]?.children.isEmpty == true else { return .failure(FileSystemError(ENOTEMPTY)) }
            return Self.remove(&state, parent, name)
        }
    }

    func unlink(parent: InodeNumber, name: [UInt8], context: OperationContext, reply: @escaping Reply<Void>) {
        perform("unlink", context, reply) { Self.remove(&$0, parent, name) }
    }

    func rename(
        parent: InodeNumber, name: [UInt8], newParent: InodeNumber, newName: [UInt8], flags: UInt32,
        context: OperationContext, reply: @escaping Reply<Void>
    ) {
        perform("rename", context, reply) { state in
            guard let inode = state.nodes[parent]?.children[name] else { return .failure(FileSystemError(ENOENT)) }
            if state.nodes[newParent]?.children[newName] != nil {
                // RENAME_NOREPLACE of renameat2(2).
                if flags & 1 != 0 { return .failure(FileSystemError(EEXIST)) }
                _ = Self.remove(&state, newParent, newName)
            }
            _ = Self.remove(&state, parent, name)
            state.nodes[newParent]?.children[newName] = inode
            state.nodes[newParent]?.order.append(newName)
            return .success(())
        }
    }

    func opendir(inode: InodeNumber, context: OperationContext, reply: @escaping Reply<HandleID>) {
        perform("opendir", context, reply) { _ in .success(HandleID(inode.rawValue)) }
    }

    func readdir(
        inode: InodeNumber, handle: HandleID, offset: UInt64, packer: any DirectoryPacker, context: OperationContext,
        reply: @escaping Reply<Void>
    ) {
        let kind = packer.wantsAttributes ? "readdirplus" : "readdir"
        perform(kind, context, reply) { state in
            guard let node = state.nodes[inode] else { return .failure(FileSystemError(ENOENT)) }
            for (number, name) in node.order.enumerated().dropFirst(Int(offset)) {
                guard let child = node.children[name], let attributes = state.nodes[child]?.attributes else {
                    continue
                }
                let hidesAttributes = state.listsWithoutAttributes
                let entry = Entry(
                    attributes: attributes, entryTimeout: self.timeout, attributeTimeout: self.timeout)
                let isPlus = packer.wantsAttributes && !hidesAttributes
                let isAdded = packer.add(
                    name: name, inode: child, kind: hidesAttributes ? nil : attributes.kind,
                    entry: isPlus ? entry : nil, nextOffset: UInt64(number) + 1)
                if !isAdded { break }
                if isPlus { state.nodes[child]?.lookups += 1 }
            }
            return .success(())
        }
    }

    func releasedir(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>) {
        perform("releasedir", context, reply) { _ in .success(()) }
    }

    func fsyncdir(inode: InodeNumber, handle: HandleID, context: OperationContext, reply: @escaping Reply<Void>) {
        perform("fsyncdir", context, reply) { _ in .success(()) }
    }

    func statfs(inode: InodeNumber, context: OperationContext, reply: @escaping Reply<FileSystemStatistics>) {
        perform("statfs", context, reply) { _ in
            .success(
                FileSystemStatistics(
                    blockBytes: 4096, totalBlocks: 1 << 30, freeBlocks: 1 << 29, totalInodes: 1 << 20,
                    freeInodes: 1 << 19, maximumNameBytes: 255))
        }
    }

    func entry(_ state: inout State, _ inode: InodeNumber) -> Result<Entry, FileSystemError> {
        guard let node = state.nodes[inode] else { return .failure(FileSystemError(ESTALE)) }
        state.nodes[inode]?.lookups += 1
        return .success(Entry(attributes: node.attributes, entryTimeout: timeout, attributeTimeout: timeout))
    }

    private static func remove(
        _ state: inout State, _ parent: InodeNumber, _ name: [UInt8]
    ) -> Result<Void, FileSystemError> {
        guard state.nodes[parent]?.children.removeValue(forKey: name) != nil else {
            return .failure(FileSystemError(ENOENT))
        }
        state.nodes[parent]?.order.removeAll { $0 == name }
        return .success(())
    }
}
