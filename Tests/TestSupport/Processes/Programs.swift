import Glibc

/// Where the package's programs and scripts are, and whether tests of mounts can run.
package enum Programs {
    /// The folder with the built programs: `OSSMOUNT_BIN_DIR`, or that of the running test bundle.
    package static let folder: String = {
        if let given = environment["OSSMOUNT_BIN_DIR"] { return given }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? -1
        }
        let own = parent(of: String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
        if FileSystemPath.exists(own + "/ossmount-server") { return own }
        // The bundle may be loaded by a helper of the toolchain: then it stands among what is mapped.
        let maps = String(decoding: FileSystemPath.contents("/proc/self/maps"), as: UTF8.self)
        for line in maps.split(separator: "\n") where line.hasSuffix(".xctest") {
            guard let start = line.firstIndex(of: "/") else { continue }
            return parent(of: String(line[start...]))
        }
        return own
    }()

    /// The repository's root, where this file was built from.
    package static let root: String = (0..<4).reduce(#filePath) { path, _ in parent(of: path) }

    package static var mount: String { folder + "/ossmount" }
    package static var server: String { folder + "/ossmount-server" }

    /// This process's environment.
    package static let environment: [String: String] = {
        var values: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return values
    }()

    package static let isContinuousIntegration = environment["CI"] == "true"

    /// Whether this machine lets us mount. In CI always true, so that a missing device fails there instead of skipping.
    package static let canMount = isContinuousIntegration || access("/dev/fuse", R_OK | W_OK) == 0

    /// Whether this is a run by hand with the long numbers.
    package static let isLong = environment["OSSMOUNT_TEST_LONG"] != nil

    /// For how many seconds a test that can go on for ever is to go on: `OSSMOUNT_TEST_SECONDS`.
    package static let seconds = environment["OSSMOUNT_TEST_SECONDS"].flatMap(Int.init)

    /// How often or how many: `OSSMOUNT_TEST_ROUNDS` where that is set, the long number under `OSSMOUNT_TEST_LONG`, as
    /// `scripts/test-long.sh` sets them, else the short one.
    package static func rounds(short: Int, long: Int) -> Int {
        if let given = environment["OSSMOUNT_TEST_ROUNDS"].flatMap(Int.init) { return given }
        return isLong ? long : short
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
