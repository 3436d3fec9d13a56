import TestSupport
import Testing

extension ApplicationTests {
    /// Uploads that don't fit into as many parts as the server allows, and a disk that is small.
    @Suite struct LimitTests {
        @Test("a file of 3 GiB goes into 20 parts at a time")
        func fewParts() throws {
            let bytes = 3 << 30
            let options = ["--memory", "64MiB", "--part-count", "20"]
            // Bodies are stored: what is joined lies in hidden objects, whose bytes aren't the pattern from its start.
            try Site.with(options: options, server: ["--part-limit", "20"]) { site in
                try site.sh("\"$TOOLS/PatternTool\" write \"$M/f\" \(bytes)", within: .seconds(90))
                try site.sh(
                    "judge oss2 head f | grep -x \"x-oss-hash-crc64ecma: $(\"$TOOLS/PatternTool\" crc \(bytes))\"")
                try site.sh("test \"$(judge oss2 list | wc -l)\" = 1")
                try site.remount(options)
                try site.sh("\"$TOOLS/PatternTool\" check \"$M/f\" \(bytes)", within: .seconds(90))
            }
        }

        @Test(
            "where 20 parts of 64 MiB are all that the server takes, 3 GiB are refused and the old object stays"
        )
        func tooFewParts() throws {
            let options = ["--memory", "64MiB", "--part-count", "20"]
            let limits = ["--bodies", "synthetic", "--part-limit", "20", "--part-maximum", "64MiB"]
            try Site.with(options: options, server: limits) { site in
                try site.sh("seq 100000 | judge oss2 put f")
                let output = try site.run(
                    script: "\"$TOOLS/PatternTool\" write \"$M/f\" \(3 << 30)", within: .seconds(90))
                #expect(output.status == 1, "\(output)")
                try site.sh("judge oss2 get f | cmp - <(seq 100000)")
            }
        }

        @Test(
            "a cache directory that is too small, and none at all, keep nobody from writing",
            arguments: [true, false])
        func smallCacheFolder(_ hasFolder: Bool) throws {
            try Site.with(mounts: false) { site in
                let options = ["--memory", "64MiB", "--cache-dir", hasFolder ? site.scratch + "/cache" : "none"]
                if hasFolder { try site.sh("mkdir \"$T/cache\"; mount -t tmpfs -o size=64m cache \"$T/cache\"") }
                defer { if hasFolder { _ = try? site.run(script: "umount -l \"$T/cache\"") } }
                try site.mount(options)
                try site.sh(
                    Site.workloads + """
                        workloads stream-then-header "$T/f" 300
                        cp "$T/f" "$M/f"
                        workloads scatter "$T/f" 500
                        workloads scatter "$M/f" 500
                        workloads stream-then-header "$M/g" 300
                        cmp "$T/f" "$M/f"
                        """, within: .seconds(120))
                let peak = try site.peakMemoryBytes()
                print("VmHWM \(peak >> 20) MiB of a budget of 64 MiB")
                #expect(peak <= (64 + 60) << 20)
                try site.remount(options)
                try site.sh("cmp \"$T/f\" \"$M/f\"; judge oss2 same f \"$T/f\"", within: .seconds(60))
                try site.unmount()
            }
        }
    }
}
