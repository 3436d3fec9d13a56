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
