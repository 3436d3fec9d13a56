import Instrumentation
import LocalStore
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import FileSystemCore

@Suite struct SweepTests {
    /// Mounts of one bucket on one machine: their cache folder, and the bucket.
    private struct Machine {
        let folder: TemporaryFolder
        let memory = MemoryObjectStore()

        func cache(_ identity: MountIdentity) throws -> CacheFolder {
            try CacheFolder(
                root: Array(folder.path.utf8), endpoint: [], bucket: Array("pictures".utf8), prefix: [],
                identity: identity)
        }

        /// An object and an upload under each kind of hidden key of a mount.
        func leave(_ identity: MountIdentity, under prefix: String = "") throws {
            for kind in HiddenKind.swept {
                let start = Array("\(prefix).ossmount/\(kind.rawValue)/".utf8) + identity.bytes
                memory.seed(ObjectKey(start + Array("-1".utf8)), [1])
                _ = try memory.initiateUpload(
                    InitiateRequest(key: ObjectKey(start + Array("-2".utf8))),
                    RequestContext(deadline: .after(.seconds(5))))
            }
        }

        func uploads() throws -> Int {
            let context = RequestContext(deadline: .after(.seconds(5)))
            return try memory.listUploads(prefix: [], after: nil, limit: 1000, context).uploads.count
        }
    }

    private func withMachine(_ body: (Machine) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(Machine(folder: folder))
    }

    /// Starts a mount of the machine and waits for its sweep.
    private func start(_ machine: Machine, prefix: String = "", hasCache: Bool = true) throws -> CoreFixture {
        let identity = MountIdentity.make()
        let cache = hasCache ? try machine.cache(identity) : nil
        let fixture = CoreFixture(prefix: prefix, memory: machine.memory, mountID: identity)
        fixture.fileSystem.sweep(cache)
        #expect(eventually(within: .seconds(10)) { fixture.recorded.count(of: "sweep.ended") == 1 })
        return fixture
    }

    @Test("the only copy of an object that was out of the way for a moment stays, also behind a dead mount")
    func aside() throws {
        try withMachine { machine in
            let identity = MountIdentity.make()
            do { _ = try machine.cache(identity) }
            let key = ObjectKey(Array(".ossmount/aside/".utf8) + identity.bytes + Array("-1".utf8))
            machine.memory.seed(key, [1])
            _ = try start(machine)
            #expect(machine.memory.keys == [key])
        }
    }

    @Test("what a mount left that died on this machine is removed at the next start, its folder too")
    func dead() throws {
        try withMachine { machine in
            let identity = MountIdentity.make()
            do { _ = try machine.cache(identity) }
            try machine.leave(identity)
            machine.memory.seed(ObjectKey("picture".utf8), [1])
            machine.memory.seed(ObjectKey(".ossmount/root".utf8), [])
            let fixture = try start(machine)
            #expect(machine.memory.keys.map(\.bytes) == [Array(".ossmount/root".utf8), Array("picture".utf8)])
            #expect(try machine.uploads() == 0)
            #expect(fixture.recorded.count(of: "removed what a dead mount had left") == 1)
            #expect(try machine.cache(.make()).deadMounts().allSatisfy { $0.identity != identity })
        }
    }

    @Test("under a prefix only that prefix's hidden keys are swept")
    func prefix() throws {
        try withMachine { machine in
            let identity = MountIdentity.make()
            do { _ = try machine.cache(identity) }
            try machine.leave(identity, under: "a/")
            try machine.leave(identity)
            let fixture = try start(machine, prefix: "a/")
            #expect(machine.memory.keys.count == 2)
            #expect(machine.memory.keys.allSatisfy { $0.bytes.starts(with: ".ossmount/".utf8) })
            #expect(try fixture.names() == [])
        }
    }

    @Test("a mount that runs keeps its hidden keys")
    func running() throws {
        try withMachine { machine in
            let identity = MountIdentity.make()
            let cache = try machine.cache(identity)
            try machine.leave(identity)
            let fixture = try start(machine)
            #expect(machine.memory.keys.count == 2)
            #expect(try machine.uploads() == 2)
            #expect(fixture.recorded.count(of: "hidden objects of other mounts") == 1)
            #expect(fixture.recorded.count(of: "unfinished uploads are in the bucket") == 1)
            withExtendedLifetime(cache) {}
        }
    }

    @Test("another machine's hidden keys stay, also where its folder came here with a copied disk")
    func foreign() throws {
        try withMachine { machine in
            let (unknown, copied) = (
                MountIdentity(host: 1, startedAt: WallTime(seconds: 1), random: 1),
                MountIdentity(host: 1, startedAt: WallTime(seconds: 1), random: 2)
            )
            do { _ = try machine.cache(copied) }
            try machine.leave(unknown)
            try machine.leave(copied)
            _ = try start(machine)
            #expect(machine.memory.keys.count == 4)
            #expect(try machine.uploads() == 4)
        }
    }

    @Test("without a cache-dir nothing is known dead, and the log says how much there is")
    func noCache() throws {
        try withMachine { machine in
            try machine.leave(.make())
            let fixture = try start(machine, hasCache: false)
            #expect(machine.memory.keys.count == 2)
            #expect(fixture.recorded.count(of: "hidden objects of other mounts") == 1)
            #expect(fixture.recorded.count(of: "count=2") == 2)
        }
    }

    @Test("what could not be removed is left to the next start")
    func failing() throws {
        try withMachine { machine in
            let identity = MountIdentity.make()
            do { _ = try machine.cache(identity) }
            try machine.leave(identity)
            let own = MountIdentity.make()
            do {
                let fixture = CoreFixture(memory: machine.memory, mountID: own)
                fixture.store.order(.error(.accessDenied), on: .deleteMany, times: 2)
                let cache = try machine.cache(own)
                fixture.fileSystem.sweep(cache)
                #expect(eventually(within: .seconds(10)) { fixture.recorded.count(of: "sweep.ended") == 1 })
                #expect(fixture.recorded.count(of: "could not all be removed") == 1)
                // A debug line is the sweep's last act but for letting go of its locks.
                #expect(fixture.fileSystem.drain(by: .after(.seconds(10))).isEmpty)
                cache.remove()
            }
            _ = try start(machine)
            #expect(machine.memory.keys.isEmpty)
        }
    }

    @Test("a read-only mount removes nothing and asks nothing")
    func readOnly() throws {
        try withMachine { machine in
            let identity = MountIdentity.make()
            do { _ = try machine.cache(identity) }
            try machine.leave(identity)
            let fixture = CoreFixture(isReadOnly: true, memory: machine.memory)
            machine.memory.resetRequests()
            fixture.fileSystem.sweep(try machine.cache(.make()))
            #expect(fixture.fileSystem.drain(by: .after(.seconds(10))).isEmpty)
            #expect(machine.memory.requests == 0)
        }
    }
}
