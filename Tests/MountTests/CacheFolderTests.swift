import TestSupport
import Testing

extension MountTests {
    @Suite struct CacheFolderTests {
        @Test("a mount has a locked folder of its own in cache-dir, and takes it away at its end")
        func ownFolder() throws {
            try Site.with { site in
                try site.sh("test \"$(ls \(site.cacheFolder)/*/mounts | wc -l)\" = 1")
                try site.sh("fails flock -n \(site.cacheFolder)/*/mounts/*/lock true")
                #expect(try site.sh("stat -c %a \(site.cacheFolder)").hasPrefix("700"))
                try site.unmount()
                try site.sh("test \"$(ls -A \(site.cacheFolder)/*/mounts | wc -l)\" = 0")
            }
        }

        @Test("a killed mount's folder stays and its lock is free")
        func killed() throws {
            try Site.with { site in
                site.killDaemons()
                // The system takes its time to end a process.
                try site.sh("flock -w 10 \(site.cacheFolder)/*/mounts/*/lock true")
                try site.sh("umount \"$M\"")
            }
        }

        @Test("a cache-dir inside a mounted bucket is refused with words, and nothing hangs")
        func insideMount() throws {
            try Site.with { site in
                let output = try site.run(
                    script: """
                        mkdir "$T/other"
                        "$OSSMOUNT" mount oss://\(ServerProcess.bucket) "$T/other" --endpoint "$OSS_ENDPOINT" \
                        --cache-dir "$M/cache"
                        """)
                #expect(output.status == 2)
                #expect(output.errorText.contains("lies in a mounted bucket"))
            }
        }

        @Test("without cache-dir the mount works, and the log says that there is none")
        func none() throws {
            try Site.with(options: ["--cache-dir", "none"]) { site in
                try site.sh("echo text > \"$M/a\"; test \"$(cat \"$M/a\")\" = text")
                #expect(site.log.contains("no cache-dir"))
                #expect(!FileSystemPath.exists(site.cacheFolder))
            }
        }
    }
}
