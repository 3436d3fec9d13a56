import Glibc
import TestSupport
import Testing

extension ApplicationTests {
    /// sqlite3 on a mount: what it committed is there, whatever happens to it.
    @Suite struct DatabaseTests {
        /// The rest of a script that fails unless the database is whole and has all rows up to the last one at least.
        private static func check(_ mount: String = "$M") -> String {
            """
            test "$(sqlite3 "\(mount)/db" 'pragma integrity_check')" = ok
            sqlite3 "\(mount)/db" 'select count(*), coalesce(max(id), 0) from t'
            """
        }

        @Test("200 transactions stay, in one file and after a new mount", arguments: ["delete", "wal"])
        func transactions(_ journal: String) throws {
            try Site.with { site in
                try site.sh(
                    """
                    sqlite3 "$M/db" 'pragma journal_mode=\(journal); create table t(id integer primary key, x);' > "$T/mode"
                    test "$(cat "$T/mode")" = \(journal)
                    { echo 'pragma synchronous=full;'
                      for i in $(seq 200); do echo "begin; insert into t values($i, randomblob(3000)); commit;"; done
                    } | sqlite3 "$M/db"
                    """)
                #expect(try site.sh(Self.check()) == "200|200\n")
                try site.remount()
                #expect(try site.sh(Self.check()) == "200|200\n")
                try site.sh("judge v2 get db > \"$T/db\"")
                #expect(try site.sh(Self.check("$T")) == "200|200\n")
            }
        }

        @Test("a sqlite3 that is killed in mid-transaction loses nothing that it had committed")
        func killed() throws {
            try Site.with { site in
                try site.sh("sqlite3 \"$M/db\" 'create table t(id integer primary key, x);'")
                var committed = 0
                for round in 1...Programs.rounds(short: 5, long: 50) {
                    // Each commit is acknowledged by a line, once it is through.
                    let writer = try site.start(
                        """
                        exec sqlite3 -bail "$M/db" < <(
                            echo 'pragma synchronous=full;'
                            for i in $(seq 100000); do
                                echo 'begin; insert into t(x) values(randomblob(20000)); insert into t(x) values(1); commit;'
                                echo 'select last_insert_rowid();'
                            done)
                        """)
                    let isFarEnough = eventually(within: .seconds(30)) { writer.output.lines.count >= 7 + round * 3 }
                    writer.signal(SIGKILL)
                    #expect(writer.waitForExit(within: .seconds(20)))
                    #expect(isFarEnough, "\(writer.output)")
                    committed = max(committed, writer.output.lines.compactMap { Int($0) }.max() ?? 0)
                    try expectRows(site, committed)
                    try site.remount()
                    try expectRows(site, committed)
                }
            }
        }

        /// Both rows of each transaction are there or neither, and none that was acknowledged is missing.
        private func expectRows(_ site: Site, _ committed: Int) throws {
            let counts = try site.sh(Self.check()).split(separator: "\n").last?.split(separator: "|") ?? []
            let rows = counts.first.flatMap { Int($0) } ?? -1
            #expect(rows >= committed)
            #expect(rows % 2 == 0)
        }
    }
}
