import TestSupport
import Testing

// ApplicationTests: programs that nobody wrote for a mount, doing their usual work in one: databases, git, archivers, cp
// and rsync, video muxers, backups larger than memory. Judged by the programs' own checks, by the same work done on a
// local file system, by what is there after a new mount, and by the official SDKs.
//
// One suite per subject, all inside `ApplicationTests` so that they run one after the other. Work that a shell can't do
// stands in Tests/Interop/workloads.py; gigabytes are written and checked by PatternTool, which needs no copy of them.

/// The programs' tests; they run in a row, and only where the machine lets them mount.
@Suite(
    .serialized, .enabled(if: Programs.canMount, "no /dev/fuse that this user may open"),
    .timeLimit(.minutes(Programs.isLong ? 120 : 3)))
struct ApplicationTests {}

extension Site {
    /// The script's variable that starts a step of workloads.py.
    static let workloads = "workloads() { python3 \"$REPOSITORY/Tests/Interop/workloads.py\" \"$@\"; }\n"
}
