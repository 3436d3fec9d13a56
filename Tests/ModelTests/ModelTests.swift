import Runtime
import TestSupport
import Testing

// ModelTests: a mount is a file system like any other.
//
// A seed makes a script of operations (`ModelScript`). The driver (`Tests/ModelDriver`, a program of its own, so that no
// process which tests depend on waits in a mount) carries it out in a folder of the local file system and in a mount;
// what it says of every step must be the same: result, errno, bytes read, size and mode. At checkpoints, with everything
// closed, the whole trees are compared, then again after a new mount, and the bucket with the local tree by an SDK.
//
// Legitimately different, and so never done or never printed:
// - hard links (EPERM here), link counts, inode and device numbers, block counts, holes (SEEK_DATA, SEEK_HOLE, fallocate);
// - access times; modification and change times that the script did not set; whether a truncation to the present length
//   changes the modification time; sizes of directories;
// - renaming directories, RENAME_EXCHANGE; symbolic links, special files and extended attributes, which have their own
//   tests; set-user-ID bits, as everything here is root's;
// - O_TRUNC without a right to write, which POSIX leaves open; mappings beyond the end of a file;
// - ESTALE and conflict copies, which take another host: here nobody else changes the bucket.
//
// A failure names the seed, the step and the last operations. `OSSMOUNT_TEST_SEED=N` runs that seed alone, in the
// settings of every test; `OSSMOUNT_TEST_SECONDS=N` goes on with new seeds for that long.

/// The tests of the model; in a row, as two cores can't serve two mounts at once in time.
@Suite(.serialized, .timeLimit(.minutes(Programs.isLong ? 180 : 3)))
struct ModelTests {
    /// One run: a seed in some settings.
    struct Run: CustomTestStringConvertible {
        let seed: UInt64
        let settings: ModelSettings
        var testDescription: String { "seed \(seed), \(settings.name)" }
    }

    /// Fixed seeds for every change, one in each settings; by hand all seeds in all settings.
    private static let runs: [Run] = {
        let settings = ModelSettings.all
        if let given = Programs.environment["OSSMOUNT_TEST_SEED"].flatMap(UInt64.init) {
            return settings.map { Run(seed: given, settings: $0) }
        }
        let seeds = 1...UInt64(Programs.rounds(short: 2, long: 20))
        guard !Programs.isLong else { return settings.flatMap { one in seeds.map { Run(seed: $0, settings: one) } } }
        return seeds.map { Run(seed: $0, settings: settings[Int($0 - 1) % settings.count]) }
    }()
    private static let steps = Programs.isLong ? 2000 : 500

    @Test(
        "random operations do on a mount what they do on a local file system",
        .enabled(if: Programs.canMount, "no /dev/fuse that this user may open"), arguments: runs)
    func sameAsLocal(_ run: Run) throws {
        guard let seconds = Programs.seconds else {
            let script = ModelScript(seed: run.seed, steps: Self.steps, shape: run.settings.shape)
            return try ModelRun.compare(script, run.settings)
        }
        // New seeds for so long, shared out over the runs; each is printed, and a failure names its own.
        let deadline = Deadline.after(.seconds(max(1, seconds / Self.runs.count)))
        while !deadline.hasPassed {
            let seed = UInt64.random(in: 1_000...UInt64(UInt32.max))
            print("model: seed \(seed), \(run.settings.name)")
            try ModelRun.compare(
                ModelScript(seed: seed, steps: Self.steps, shape: run.settings.shape), run.settings)
        }
    }

    @Test("the local file system agrees with itself, so that a difference is the mount's")
    func sameTwice() throws {
        let script = ModelScript(seed: 1, steps: 500, shape: ModelSettings.plain.shape)
        #expect(try ModelRun.differenceOfFolders(script) == nil)
    }

    @Test("one byte altered in a write, and a write that is lost, are found", arguments: ["alter", "lose"])
    func plantedFault(_ kind: String) throws {
        // Not every one can be: what was written is overwritten, cut off or unlinked before anybody looks.
        let script = ModelScript(seed: 3, steps: 125, shape: ModelSettings.plain.shape)
        let found = try (1...20).compactMap { number in
            try ModelRun.differenceOfFolders(script, fault: "\(kind)=\(number)")
        }
        #expect(found.count >= 14)
        #expect(found.allSatisfy { $0.description.contains("seed 3, step ") })
    }

    @Test(
        "a byte altered on its way into the mount is found",
        .enabled(if: Programs.canMount, "no /dev/fuse that this user may open"))
    func plantedFaultInMount() throws {
        let script = ModelScript(seed: 3, steps: 125, shape: ModelSettings.plain.shape)
        // One that is not overwritten before anybody looks.
        let number = try #require(
            try (1...20).first { try ModelRun.differenceOfFolders(script, fault: "alter=\($0)") != nil })
        let failure = #expect(throws: TestFailure.self) {
            try ModelRun.compare(script, .plain, fault: "alter=\(number)")
        }
        #expect(failure?.description.contains("seed 3, step ") == true, "\(String(describing: failure))")
    }
}
