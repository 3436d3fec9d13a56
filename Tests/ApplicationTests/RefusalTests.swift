import TestSupport
import Testing

extension ApplicationTests {
    /// A server that refuses in mid-stream: close and fsync say so, and the old object is whole.
    @Suite struct RefusalTests {
        private static let memory = ["--memory", "64MiB"]

        @Test(
            "a write that the server refuses is told by close and by fsync, and the old object stays",
            arguments: ["close", "fsync"], ["UploadPart", "CompleteMultipartUpload", "PutObject"])
        func refused(_ call: String, _ operation: String) throws {
            // What goes by one request, and what goes in parts while it is written.
            let megabytes = operation == "PutObject" ? 2 : 120
            try Site.with(options: Self.memory) { site in
                try site.sh("seq 100000 | judge oss2 put f")
                let writer = try site.start(Site.workloads + "workloads refused-stream \"$M/f\" \(megabytes) \(call)")
                let isHalf = eventually(within: .seconds(30)) {
                    FileSystemPath.exists(site.scratch + "/half") || !writer.isRunning
                }
                guard isHalf, writer.isRunning else { throw TestFailure("the writer: \(writer.output)") }
                try site.server.admin.add(ServerFault(.status, on: operation, status: 403, code: "AccessDenied"))
                try site.sh("touch \"$T/go\"")
                let output = try site.wait(writer)
                #expect(output.status == 0, "\(output)")
                #expect(output.text.contains("\(call) reports EACCES"))
                #expect(try site.server.admin.statistics().faults["status", default: 0] >= 1)
                try site.server.admin.clearFaults()
                try site.sh("judge oss2 get f | cmp - <(seq 100000); test \"$(judge oss2 list | wc -l)\" = 1")
                let isShown = try eventually(within: .seconds(10)) {
                    try site.run(script: "seq 100000 | cmp - \"$M/f\"").status == 0
                }
                #expect(isShown, "the mount doesn't show the old object again")
            }
        }
    }
}
