import TestSupport
import Testing

extension ApplicationTests {
    /// Much more than the budget, from one writer or from many: all of it ends well, and memory stays what was asked for.
    @Suite struct BudgetTests {
        private static let memory = ["--memory", "64MiB"]
        /// Program, libraries, thread stacks, listings: what a mount has beside its buffers.
        private static let besideBytes = 60 << 20

        private func expectWithinBudget(_ site: Site) throws {
            let peak = try site.peakMemoryBytes()
            print("VmHWM \(peak >> 20) MiB of a budget of 64 MiB")
            #expect(peak <= (64 << 20) + Self.besideBytes)
        }

        @Test("2 GiB go through 64 MiB of memory both ways")
        func bothWays() throws {
            let bytes = Programs.rounds(short: 2, long: 80) << 30
            try Site.with(options: Self.memory, server: ["--bodies", "synthetic"]) { site in
                try site.sh(
                    "\"$TOOLS/PatternTool\" write \"$M/f\" \(bytes)",
                    within: .seconds(Programs.isLong ? 3600 : 90))
                try expectWithinBudget(site)
                try site.sh(
                    "judge oss2 head f | grep -x \"x-oss-hash-crc64ecma: $(\"$TOOLS/PatternTool\" crc \(bytes))\"",
                    within: .seconds(600))
                try site.remount(Self.memory)
                try site.sh(
                    "\"$TOOLS/PatternTool\" check \"$M/f\" \(bytes)",
                    within: .seconds(Programs.isLong ? 3600 : 90))
                try expectWithinBudget(site)
            }
        }

        @Test("20 writers of 64 MiB at once all end well")
        func twentyWriters() throws {
            try Site.with(options: Self.memory, server: ["--bodies", "synthetic"]) { site in
                try site.sh(
                    """
                    seq 20 | xargs -P 20 -I{} "$TOOLS/PatternTool" write "$M/{}" 67108864
                    seq 20 | xargs -P 4 -I{} "$TOOLS/PatternTool" check "$M/{}" 67108864
                    """, within: .seconds(90))
                try expectWithinBudget(site)
            }
        }

        @Test("200 writers, a byte at a time, all end well")
        func byteWriters() throws {
            let counts = "200 \(Programs.rounds(short: 200, long: 5000))"
            try Site.with(options: Self.memory) { site in
                try site.sh(Site.workloads + "workloads byte-writers \(counts)", within: .seconds(90))
                try expectWithinBudget(site)
                try site.remount(Self.memory)
                try site.sh(Site.workloads + "workloads check-byte-writers \(counts)")
            }
        }
    }
}
