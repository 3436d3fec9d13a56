import FuseBridge
import Instrumentation
import Runtime
import Testing

@testable import MountCommand

@Suite struct ShutdownTests {
    private final class Session: DetachableSession {
        let detached = Locked(0)
        let stopped = Locked(false)
        func detach() throws(FuseMountError) { detached.withLock { $0 += 1 } }
        func stop() {
            stopped.withLock { $0 = true }
            stopped.wakeAll()
        }
        func isStopped(within time: Duration) -> Bool {
            stopped.wait(until: .after(time)) { $0 ? true : nil } ?? false
        }
    }

    private final class Files: DrainableFileSystem {
        let counts = Locked((open: 0, unsent: 0))
        let drains: Bool
        init(open: Int = 0, unsent: Int = 0, drains: Bool = true) {
            self.drains = drains
            counts.withLock { $0 = (open, unsent) }
        }
        var openFileCount: Int { counts.withLock { $0.open } }
        var unsentFileCount: Int { counts.withLock { $0.unsent } }
        func sendEverything(by deadline: Deadline) -> [[UInt8]] {
            if drains { counts.withLock { $0.unsent = 0 } }
            return (0..<unsentFileCount).map { Array("file \($0)".utf8) }
        }
    }

    private let session = Session()
    private let reports = Locked<[DrainStatus]>([])

    private func shutdown(_ files: Files, patience: Duration = .seconds(60)) -> Shutdown {
        let reports = reports
        return Shutdown(session: session, fileSystem: files, log: .silent, patience: patience) { status in
            reports.withLock { $0.append(status) }
        }
    }

    @Test("the first signal detaches, a second does not again")
    func detachesOnce() {
        let shutdown = shutdown(Files(open: 1))
        shutdown.begin()
        shutdown.begin()
        #expect(session.detached.withLock { $0 } == 1)
        #expect(shutdown.finish())
    }

    @Test("with nothing open and nothing unsent the loop is ended, though a working directory keeps the mount")
    func workingDirectory() {
        let shutdown = shutdown(Files())
        shutdown.begin()
        #expect(session.isStopped(within: .seconds(30)))
        #expect(shutdown.finish())
    }

    @Test("an open file keeps the loop until it is closed")
    func openFile() {
        let files = Files(open: 1)
        let shutdown = shutdown(files)
        shutdown.begin()
        #expect(!session.isStopped(within: .milliseconds(1500)))
        files.counts.withLock { $0.open = 0 }
        #expect(session.isStopped(within: .seconds(30)))
    }

    @Test("at the deadline the loop is ended whatever is open")
    func deadline() {
        let shutdown = shutdown(Files(open: 1), patience: .milliseconds(300))
        shutdown.begin()
        #expect(session.isStopped(within: .seconds(30)))
    }

    @Test("what is left unsent is told, and is no success")
    func failure() {
        let shutdown = shutdown(Files(unsent: 2, drains: false))
        #expect(!shutdown.finish())
        #expect(reports.withLock { $0.last } == DrainStatus(phase: .failed, unsentFiles: 2))
    }

    @Test("an end without a signal drains as well")
    func plainUnmount() {
        #expect(shutdown(Files(unsent: 2)).finish())
        #expect(reports.withLock { $0.last } == DrainStatus(phase: .drained))
    }
}
