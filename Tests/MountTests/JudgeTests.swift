import TestSupport
import Testing

extension MountTests {
    /// The judges themselves: a judge that finds nothing must have been able to find something.
    @Suite struct JudgeTests {
        @Test(
            "both SDKs agree with a tree that one of them put, and find each planted difference",
            arguments: ["oss2", "v2"])
        func plantedDifferences(_ sdk: String) throws {
            try Site.with(mounts: false) { site in
                try site.sh(
                    """
                    python3 "$REPOSITORY/Tests/Interop/make-tree.py" "$T/tree" --pictures 3 --megabytes 2 --small 60 \
                        --folders 3
                    judge \(sdk) put-tree "$T/tree"
                    judge oss2 compare "$T/tree"
                    judge v2 compare "$T/tree"
                    cd "$T/tree/pictures"
                    echo more >> IMG_0000.JPG
                    printf X | dd of=IMG_0001.JPG conv=notrunc status=none
                    echo x > "only here"
                    echo x | judge \(sdk) put only%20there
                    for other in oss2 v2; do
                        if judge $other compare "$T/tree" > "$T/said"; then exit 9; fi
                        grep 'listed with .* bytes instead of .*: pictures/IMG_0000.JPG' "$T/said"
                        grep 'other bytes: pictures/IMG_0001.JPG' "$T/said"
                        grep 'missing in the bucket: pictures/only%20here' "$T/said"
                        grep 'not in the tree: only%20there' "$T/said"
                        grep ', 4 complaints' "$T/said"
                    done
                    """, within: .seconds(90))
                let statistics = try site.server.admin.statistics()
                #expect(statistics["PutObject"] >= 63)
                #expect(statistics["HeadObject"] >= 63)
            }
        }

        @Test("faults that are ordered are given and counted")
        func faults() throws {
            try Site.with(mounts: false) { site in
                try site.sh("echo x | judge oss2 put f")
                try site.server.admin.reset()
                try site.server.admin.add(
                    ServerFault(.status, on: "GetObject", status: 403, code: "AccessDenied", count: 1))
                #expect(try site.run(script: "judge oss2 get f").status != 0)
                try site.sh("test \"$(judge oss2 get f)\" = x")
                #expect(try site.server.admin.statistics().faults["status"] == 1)
            }
        }
    }
}
