import TestSupport
import Testing

/// One way in which the server fails, and how the mount is told to meet it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    var name: String
    /// What the server does; each on a tenth of the requests that it is for.
    var rules: [ServerFault]
    /// How often at least each kind is to be given.
    var least: [ServerFault.Kind: Int]
    var options: [String] = []
    /// Whether the keys come from the server as an auth server, so that there are others to get.
    var hasTemporaryKeys = false
    /// By how much the server's clock is wrong while files go in; it is right again when they come out.
    var clockOffset = 0

    var testDescription: String { name }

    private static let data = ["PutObject", "GetObject", "HeadObject", "ListObjectsV2", "CopyObject", "DeleteObject"]

    private static func status(_ status: Int, _ code: String, on operation: String = "*") -> ServerFault {
        ServerFault(.status, on: operation, status: status, code: code, every: 10)
    }

    static let all = [
        FaultCase(name: "500", rules: [status(500, "InternalError")], least: [.status: 20]),
        FaultCase(name: "503", rules: [status(503, "ServiceUnavailable")], least: [.status: 20]),
        FaultCase(name: "429", rules: [status(429, "QpsLimitExceeded")], least: [.status: 20]),
        FaultCase(
            name: "a body that is cut, in both directions",
            rules: ["PutObject", "GetObject", "ListObjectsV2"].map { operation in
                ServerFault(
                    .cut, on: operation, every: 10, afterBytes: operation == "ListObjectsV2" ? 100 : 9000)
            }, least: [.cut: 10]),
        FaultCase(
            name: "a slow body", rules: [ServerFault(.slow, on: "*", every: 10, rate: 400_000)], least: [.slow: 20]),
        FaultCase(
            name: "no answer at all", rules: [ServerFault(.hang, on: "*", every: 10)], least: [.hang: 20],
            options: ["--request-timeout", "500ms"]),
        FaultCase(
            name: "a wrong checksum", rules: [ServerFault(.wrongCRC, on: "*", every: 10)], least: [.wrongCRC: 20]),
        FaultCase(
            name: "a connection that closes before anything was done",
            rules: [ServerFault(.dropBefore, on: "*", every: 10)], least: [.dropBefore: 20]),
        FaultCase(
            name: "an answer that is lost after a write or a delete was done",
            rules: ["PutObject", "CopyObject"].map { ServerFault(.dropAfter, on: $0, every: 10) }
                + [ServerFault(.dropAfter, on: "DeleteObject", every: 5)], least: [.dropAfter: 10]),
        FaultCase(
            name: "403, the token has expired", rules: data.map { status(403, "SecurityTokenExpired", on: $0) },
            least: [.status: 10], hasTemporaryKeys: true),
        FaultCase(
            name: "a clock that is wrong by twenty minutes", rules: [status(403, "RequestTimeTooSkewed")],
            least: [.status: 20], clockOffset: 1200),
    ]
}

extension MountTests {
    /// A server that fails a tenth of all requests: nobody sees it, and every byte is where it belongs.
    @Suite(.timeLimit(.minutes(1))) struct FaultMatrixTests {
        @Test(
            "files go in, are deleted, renamed and rewritten, and come out, while a tenth of the requests meets",
            arguments: FaultCase.all)
        func faultsNeverHurt(_ fault: FaultCase) throws {
            try Site.with(mounts: false) { site in
                try site.sh("python3 \"$REPOSITORY/Tests/Interop/fault_tree.py\" \"$T/tree\"")
                let options = fault.options + credentials(fault, site)
                try site.mount(options)
                try site.server.admin.reset()
                for rule in fault.rules { try site.server.admin.add(rule) }
                try site.server.admin.shiftClock(seconds: fault.clockOffset)
                try site.sh(Self.copyIn)
                try site.sh(Self.change)
                let skewed = try site.server.admin.log().count { $0.status == 403 && $0.fault == nil }
                #expect((skewed > 0) == (fault.clockOffset != 0), "\(skewed) requests had a wrong date")
                try site.server.admin.shiftClock(seconds: 0)
                try site.remount(options)
                try site.sh(Self.copyOut)
                try expectGiven(fault, site)
                try site.server.admin.clearFaults()
                // Nothing is left to send: what the bucket has now is what the mount said it has.
                try site.sh("judge oss2 compare \"$T/tree\"")
                #expect(
                    !site.log.contains(" error "),
                    "\(site.log.split(separator: "\n").filter { $0.contains(" error ") })")
            }
        }

        private func credentials(_ fault: FaultCase, _ site: Site) -> [String] {
            fault.hasTemporaryKeys ? ["--credentials", "url:\(site.server.endpoint)/-/credentials"] : []
        }

        /// By the server's own log, which `statistics` compares with its counters.
        private func expectGiven(_ fault: FaultCase, _ site: Site) throws {
            let counted = try site.server.admin.statistics().faults
            let logged = try site.server.admin.log().reduce(into: [String: Int]()) { counts, line in
                if let kind = line.fault { counts[kind, default: 0] += 1 }
            }
            for (kind, least) in fault.least {
                #expect(logged[kind.rawValue, default: 0] >= least, "\(kind): \(logged)")
                #expect(counted[kind.rawValue, default: 0] >= least, "\(kind): \(counted)")
            }
        }

        private static let copyIn = """
            cd "$T/tree"
            find . -mindepth 1 -type d -print0 | xargs -0 -I{} mkdir "$M/{}"
            find . -type f -print0 | xargs -0 -P 4 -I{} cp {} "$M/{}"
            """

        /// The same on the tree and on the mount: fifteen files removed, ten renamed, five written anew.
        private static let change = """
            changes() {
                cd "$1"
                seq 0 4 56 | sed 's,.*,folder 0/file &,' | xargs -d '\\n' -P 4 -n 4 rm
                seq 1 4 37 | xargs -P 4 -I{} mv 'folder 1/file {}' 'folder 2/moved {}'
                seq 3 4 19 | xargs -I{} cp 'folder 2/file 2' 'folder 3/file {}'
            }
            (changes "$T/tree"); (changes "$M")
            """

        private static let copyOut = """
            cd "$T/tree"
            test "$(find . | sort)" = "$(cd "$M"; find . | sort)"
            find . -type f -print0 | xargs -0 -P 4 -I{} cmp {} "$M/{}"
            """
    }
}
