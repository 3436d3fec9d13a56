import TestSupport
import Testing

extension ApplicationTests {
    /// What others gave an object beside its bytes stays, whatever is done to the file.
    @Suite struct KeptPropertiesTests {
        /// With what an object of so many bytes was put, and how `about` shows it.
        private static func put(_ size: Int) -> String {
            """
            head -c \(size) /dev/urandom > "$T/f"
            judge oss2 put f x-oss-object-acl=public-read 'x-oss-tagging=team=web&kind=picture' \
                'Cache-Control=max-age=3600' 'Content-Type=image/x-own' 'Content-Disposition=attachment; filename="a b.png"' \
                Content-Language=de 'Expires=Thu, 01 Dec 2033 16:00:00 GMT' \
                x-oss-meta-Foreign='kept by others' x-oss-meta-photographer=somebody x-oss-storage-class=IA < "$T/f"
            judge oss2 about f > "$T/before"
            grep -x 'acl: public-read' "$T/before"
            grep -x 'tag team=web' "$T/before"
            grep -x 'cache-control: max-age=3600' "$T/before"
            grep -x 'x-oss-meta-photographer: somebody' "$T/before"

            """
        }

        private static let changes = [
            "touch": "touch -d @1000000000 \"$M/f\"",
            "chmod": "chmod 600 \"$M/f\"",
            "chmod and touch": "chmod 600 \"$M/f\"; touch \"$M/f\"",
            "edit": "printf EDITED | dd of=\"$M/f\" bs=1 seek=1000 conv=notrunc status=none",
            "append": "echo more >> \"$M/f\"",
            "truncate": "truncate -s 5000 \"$M/f\"",
            "rewrite": "seq 100 > \"$M/f\"",
            "edit by rename": "mv \"$M/f\" \"$M/g\"; mv \"$M/g\" \"$M/f\"",
        ]

        @Test(
            "touch, chmod, edits and renames keep ACL, tags, headers, class and foreign metadata",
            arguments: [20_000, 20_000_000])
        func kept(_ size: Int) throws {
            // What others put under a name that was just removed is to be seen at once.
            try Site.with(options: ["--metadata-ttl", "0"]) { site in
                for (name, change) in Self.changes.sorted(by: { $0.key < $1.key }) {
                    try site.sh(Self.put(size) + change)
                    let difference = try site.run(
                        script: """
                            judge v2 about f > "$T/after"
                            diff "$T/before" "$T/after"
                            """)
                    #expect(difference.status == 0, "\(name): \(difference)")
                    try site.sh("judge oss2 delete f; rm -f \"$M/f\"")
                }
            }
        }
    }
}
