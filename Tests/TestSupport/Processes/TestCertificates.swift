/// A certificate authority of a test's own, made by openssl in a folder, and certificates of servers.
package struct TestCertificates: Sendable {
    private let folder: TemporaryFolder
    /// The authority's certificate, for `ca-file`.
    package let authority: String

    /// Makes the authority; `folder` keeps the files and is removed by its owner.
    package init(folder: TemporaryFolder) throws {
        self.folder = folder
        let stem = folder.uniquePath("authority")
        authority = stem + ".pem"
        try Self.run(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=Test CA' \
                -keyout '\(stem).pem.key' -out '\(authority)'
            """, folder)
    }

    /// A certificate for these host names, valid for `days` from now; with -1 it has expired.
    ///
    /// - Returns: the options with which a server serves by it.
    package func serverOptions(names: [String], days: Int = 2) throws -> [String] {
        let stem = folder.uniquePath("server")
        let alternatives = names.map { "DNS:\($0)" }.joined(separator: ",")
        try Self.run(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=Test' \
                -keyout '\(stem).key' -out '\(stem).csr'
            echo 'subjectAltName=\(alternatives)' > '\(stem).ext'
            openssl x509 -req -in '\(stem).csr' -CA '\(authority)' -CAkey '\(authority).key' -CAcreateserial \
                -days \(days) -extfile '\(stem).ext' -out '\(stem).pem'
            """, folder)
        return ["--tls-certificate", stem + ".pem", "--tls-key", stem + ".key"]
    }

    private static func run(_ script: String, _ folder: TemporaryFolder) throws {
        let process = try ChildProcess(["sh", "-euc", script], environment: Programs.environment, folder: folder)
        guard process.waitForExit(within: .seconds(20)), process.exitStatus == 0 else {
            process.killGroup()
            throw TestFailure("openssl failed: \(process.output)")
        }
    }
}
