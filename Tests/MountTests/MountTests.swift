import TestSupport
import Testing

// MountTests: the mount through the kernel, as its users meet it: by the command line, with cp, dd and the shell, judged
// by what is in the bucket and by the official SDKs.
//
// One suite per subject, all inside `MountTests` so that they run one after the other: they measure, count requests and
// kill things, and two cores can't do that twice at once. Each test puts up a server, a bucket and a mount of its own by
// `Site` and says what it needs in shell, since nothing of the test's process may touch a mount.

/// The tests that mount; they run in a row, and only where the machine lets them.
@Suite(.serialized, .enabled(if: Programs.canMount, "no /dev/fuse that this user may open"), .timeLimit(.minutes(3)))
struct MountTests {}
