import CFuse
import FileSystemCore
import Glibc

/// libfuse's table of callbacks; each decodes, calls the core and returns. What isn't in it, libfuse answers with ENOSYS.
enum OperationTable {
    static func make() -> fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        operations.`init` = { _, connection in
            if let connection { Capabilities.choose(&connection.pointee) }
        }
        addNamespace(to: &operations)
        addMaking(to: &operations)
        addData(to: &operations)
        addDirectories(to: &operations)
        addAttributes(to: &operations)
        return operations
    }
}

// Free functions, as C callbacks can't reach the members of a type without capturing it.

/// A name as the kernel sent it.
func nameBytes(_ name: UnsafePointer<CChar>?) -> [UInt8] {
    guard let name else { return [] }
    return UnsafeRawBufferPointer(start: name, count: strlen(name)).map { $0 }
}

func handleID(_ info: UnsafeMutablePointer<fuse_file_info>?) -> HandleID {
    HandleID(info?.pointee.fh ?? 0)
}
