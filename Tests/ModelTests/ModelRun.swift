import Glibc
import TestSupport

/// Where two runs of one script differ.
struct ModelDifference: CustomStringConvertible {
    let seed: UInt64
    let step: Int
    /// What was being compared.
    let stage: String
    let expected: String
    let found: String
    /// The operations up to there: the last ones, and before those the ones that name what differs.
    let history: [String]

    var description: String {
        """
        seed \(seed), step \(step), \(stage): the mount differs from a local file system
          local: \(expected)
          mount: \(found)
        operations up to there:
        \(history.map { "  " + $0 }.joined(separator: "\n"))
        """
    }
}

/// Carries a script out in two places and compares.
enum ModelRun {
    private static let historyLines = 40
    /// For a segment in a mount: far more than one takes, and time for the watchdog within a test's minute.
    private static let limit: Duration = .seconds(60)

    static var driver: String { Programs.folder + "/ModelDriver" }

    /// Compares a mount of these settings with a local folder; throws a `TestFailure` that tells the first difference.
    static func compare(_ script: ModelScript, _ settings: ModelSettings, fault: String = "") throws {
        try Site.with(options: settings.mount, server: settings.server) { site in
            try site.sh("mkdir \"$T/local\"")
            var firstStep = 0
            for (index, segment) in script.segments.enumerated() {
                let text = segment.joined(separator: "\n") + "\n"
                try writeFile(site.scratch + "/script", text)
                try site.sh("\"\(driver)\" \"$T/local\" < \"$T/script\" > \"$T/expected\"")
                // The fault, if one is planted, is of the first segment.
                let output = try site.run(
                    script: "\"\(driver)\" \"$M\" \(index == 0 ? fault : "") < \"$T/script\" > \"$T/found\"",
                    within: limit)
                let context = Context(seed: script.seed, segment: segment, firstStep: firstStep)
                try context.check(site, "while working")
                guard output.status == 0 else { throw TestFailure("seed \(script.seed): the driver: \(output)") }
                firstStep += segment.count
                try writeFile(site.scratch + "/look", "tree\n")
                try site.sh("\"\(driver)\" \"$T/local\" < \"$T/look\" > \"$T/expected\"")
                try site.sh("\"\(driver)\" \"$M\" < \"$T/look\" > \"$T/found\"")
                try context.check(site, "the trees", isAfterwards: true)
                try site.remount(settings.mount)
                try site.sh("\"\(driver)\" \"$M\" < \"$T/look\" > \"$T/found\"")
                try context.check(site, "the trees after a new mount", isAfterwards: true)
                let judged = try site.run(script: "judge \(index % 2 == 0 ? "oss2" : "v2") compare \"$T/local\"")
                guard judged.status == 0 else { throw context.failure("the bucket", "the local tree", "\(judged)") }
            }
        }
    }

    /// Compares two local folders, in the second of which the driver commits a fault; nil if nothing differs.
    static func differenceOfFolders(_ script: ModelScript, fault: String = "") throws -> ModelDifference? {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var firstStep = 0
        for side in ["local", "other"] { mkdir("\(folder.path)/\(side)", 0o755) }
        for (index, segment) in script.segments.enumerated() {
            try writeFile(folder.path + "/script", segment.joined(separator: "\n") + "\n")
            for (side, fault) in [("local", ""), ("other", index == 0 ? fault : "")] {
                let command =
                    "cd \"\(folder.path)\" && \"\(driver)\" \"\(side)\" \(fault) < script > \"\(side).said\""
                let process = try ChildProcess(
                    ["bash", "-c", command], environment: Programs.environment, folder: folder)
                guard process.waitForExit(within: limit), process.exitStatus == 0 else {
                    process.killGroup()
                    throw TestFailure("the driver: \(process.output)")
                }
            }
            let context = Context(seed: script.seed, segment: segment, firstStep: firstStep)
            let found = context.difference(
                expected: folder.path + "/local.said", found: folder.path + "/other.said", "while working",
                isAfterwards: false)
            if let found { return found }
            firstStep += segment.count
        }
        return nil
    }

    private static func writeFile(_ path: String, _ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestFailure("can't write \(path): errno \(errno)") }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TestFailure("can't write \(path): errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// What a failure is told with.
    private struct Context {
        let seed: UInt64
        let segment: [String]
        let firstStep: Int

        func check(_ site: Site, _ stage: String, isAfterwards: Bool = false) throws {
            let found = difference(
                expected: site.scratch + "/expected", found: site.scratch + "/found", stage,
                isAfterwards: isAfterwards)
            if let found { throw TestFailure(found.description) }
        }

        func failure(_ stage: String, _ expected: String, _ found: String) -> TestFailure {
            let difference = ModelDifference(
                seed: seed, step: firstStep + segment.count, stage: stage, expected: expected, found: found,
                history: history(upTo: segment.count, about: []))
            return TestFailure(difference.description)
        }

        /// The first line that differs. `isAfterwards`: the lines are those of a look at what the segment left.
        func difference(
            expected: String, found: String, _ stage: String, isAfterwards: Bool
        ) -> ModelDifference? {
            let expected = lines(of: expected)
            let found = lines(of: found)
            let count = max(expected.count, found.count)
            let first = (0..<count).first { index in
                index >= expected.count || index >= found.count || expected[index] != found[index]
            }
            guard let first else { return nil }
            // A line begins with its number, but for those of a tree, which belong to the line above.
            let numbers = expected.prefix(first + 1).compactMap { line in
                line.split(separator: " ", omittingEmptySubsequences: false).first.flatMap { Int($0) }
            }
            let line = isAfterwards ? segment.count : min(numbers.last ?? 0, segment.count)
            return ModelDifference(
                seed: seed, step: firstStep + line, stage: stage,
                expected: first < expected.count ? expected[first] : "(nothing)",
                found: first < found.count ? found[first] : "(nothing)",
                history: history(
                    upTo: line, about: [expected, found].map { $0.indices.contains(first) ? $0[first] : "" }))
        }

        /// Lines of a tree begin with two blanks and `./NAME`.
        private func history(upTo line: Int, about differences: [String]) -> [String] {
            let names = differences.filter { $0.hasPrefix("  ./") }.map {
                String($0.dropFirst(4).prefix { $0 != " " })
            }
            let numbered = segment.prefix(line).enumerated().map { (number: $0.offset + 1, text: $0.element) }
            let last = numbered.suffix(ModelRun.historyLines)
            let earlier = numbered.dropLast(last.count).filter { operation in
                operation.text.split(separator: " ").contains { names.contains(String($0)) }
            }
            return (earlier + last).map { "\($0.number) \($0.text)" }
        }

        private func lines(of path: String) -> [String] {
            String(decoding: FileSystemPath.contents(path), as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
