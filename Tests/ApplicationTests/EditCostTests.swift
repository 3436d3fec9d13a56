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

        /// The list of parts in XML, and a listing or two.
        private static let documentBytes = 8 << 10

        @Test("4 KiB into the middle of 100 MiB send at most 104 KiB and read at most 200 KiB")
        func editInMiddle() throws {
            try Site.with { site in
                let statistics = try counted(
                    site,
                    "head -c 4096 /dev/zero | dd of=\"$target\" bs=4k seek=12345 conv=notrunc status=none")
                #expect(statistics.bytesIn <= (104 << 10) + Self.documentBytes)
                #expect(statistics.bytesOut <= (200 << 10) + Self.documentBytes)
                #expect(statistics["UploadPartCopy"] >= 2)
            }
        }

        @Test("1 KiB appended to 100 MiB is one part copied and one part sent")
        func append() throws {
            try Site.with { site in
                let statistics = try counted(site, "head -c 1024 /dev/zero >> \"$target\"")
                #expect(statistics["UploadPartCopy"] == 1)
                #expect(statistics["UploadPart"] == 1)
                #expect(statistics.bytesIn <= 1024 + Self.documentBytes)
                #expect(statistics.bytesOut <= Self.documentBytes)
            }
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
