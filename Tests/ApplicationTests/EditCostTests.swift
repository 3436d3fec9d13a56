import TestSupport
import Testing

extension ApplicationTests {
    /// What an edit of a large object costs in bytes and requests, by the server's own counters.
    @Suite struct EditCostTests {
        /// A mounted object of 100 MiB, nothing of it in memory; then what `script` costs.
        private func counted(_ site: Site, _ script: String) throws -> ServerStatistics {
            try site.sh(
                Site.workloads + "workloads stream-then-header \"$T/f\" 100; cp \"$T/f\" \"$M/f\"",
                within: .seconds(60))
            try site.remount()
            try site.server.admin.reset()
            try site.sh("target=\"$M/f\"\n" + Site.workloads + script)
            let statistics = try site.server.admin.statistics()
            try site.sh("target=\"$T/f\"\n" + Site.workloads + script)
            try site.remount()
            try site.sh("cmp \"$T/f\" \"$M/f\"; judge oss2 same f \"$T/f\"", within: .seconds(60))
            print("\(script): \(statistics.bytesIn) bytes in, \(statistics.bytesOut) bytes out, \(statistics.requests)")
            return statistics
        }

        @Test("a thousand scattered edits of 4 KiB move no more than the whole object each way")
        func scattered() throws {
            try Site.with { site in
                let statistics = try counted(site, "workloads scatter \"$target\" 1000")
                #expect(statistics.bytesIn <= (101 << 20))
                #expect(statistics.bytesOut <= (101 << 20))
            }
        }
    }
}
