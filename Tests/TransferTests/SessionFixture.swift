import Instrumentation
import LocalStore
import ObjectStore
import Runtime
import TestSupport
import Testing

@testable import Transfer

/// A file with unsent changes over a store in memory, beside the plain bytes that it should amount to; with tiny blocks,
/// parts and memory, so that short files cross every bound.
final class SessionFixture {
    struct Setting: Sendable, CustomTestStringConvertible {
        var isDirect: Bool
        var hasDisk: Bool
        var budgetBlocks = 24
        var partCount = 40

        var testDescription: String {
            "\(isDirect ? "direct" : "hidden"), \(hasDisk ? "disk" : "no disk"), \(budgetBlocks) blocks, \(partCount) parts"
        }
    }

    static let blockBytes = 4096
    static let key = ObjectKey("file".utf8)

    let setting: Setting
    let memory: MemoryObjectStore
    let store: FaultyObjectStore
    let engine: UploadEngine
    let recorded = RecordingLog()
    private let folder: TemporaryFolder?
    private(set) var session: UploadSession
    var model: [UInt8] = []

    init(_ setting: Setting) throws {
        self.setting = setting
        var capabilities = StoreCapabilities.ofMemory
        capabilities.minimumPartBytes = 4096
        capabilities.maximumParts = setting.partCount
        memory = MemoryObjectStore(capabilities: capabilities)
        store = FaultyObjectStore(memory)
        let budget = setting.budgetBlocks * Self.blockBytes
        let cache = BlockCache(
            store: store, slabs: SlabPool(budgetBytes: budget, slabBytes: Self.blockBytes),
            configuration: BlockCache.Configuration(deadline: .seconds(20)), log: recorded.log)
        var staging: StagingFolder?
        if setting.hasDisk {
            let temporary = try TemporaryFolder()
            folder = temporary
            let cacheFolder = try CacheFolder(
                root: Array(temporary.path.utf8), endpoint: [], bucket: Array("b".utf8), prefix: [], identity: .make())
            staging = StagingFolder(in: cacheFolder, limitBytes: 200_000, log: recorded.log)
        } else {
            folder = nil
        }
        engine = UploadEngine(
            store: store, cache: cache, staging: staging,
            configuration: UploadEngine.Configuration(
                limits: PartLimits(capabilities, budgetBytes: budget, base: 8192), deadline: .seconds(20),
                hiddenPrefix: Array(".ossmount/up/test-".utf8), asidePrefix: Array(".ossmount/aside/test-".utf8)),
            log: recorded.log)
        session = Self.session(over: nil, engine, isDirect: setting.isDirect)
    }

    deinit {
        _ = engine.stop(by: .after(.seconds(20)))
        folder?.remove()
    }

    private static func session(over reader: ObjectReader?, _ engine: UploadEngine, isDirect: Bool) -> UploadSession {
        UploadSession(over: reader, engine: engine) { () throws(ObjectStoreError) in
            UploadTarget(
                key: key, metadata: ObjectMetadata(), properties: ObjectProperties(), isDirect: isDirect)
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        let isTaken = try session.writeWaiting(bytes, at: Int64(offset), .test)
        #expect(isTaken)
        if model.count < offset { model += [UInt8](repeating: 0, count: offset - model.count) }
        let end = min(model.count, offset + bytes.count)
        model.replaceSubrange(offset..<end, with: bytes)
    }

    func truncate(to size: Int) {
        #expect(session.truncate(to: Int64(size)))
        model = size < model.count ? Array(model[..<size]) : model + [UInt8](repeating: 0, count: size - model.count)
    }

    /// Begins anew, as an open with O_TRUNC does.
    func restart() {
        session.abandon()
        session = Self.session(over: nil, engine, isDirect: setting.isDirect)
        model = []
    }

    func read(_ range: Range<Int>) throws -> [UInt8] {
        let wanted = Int64(range.lowerBound)..<Int64(range.upperBound)
        let bytes = try session.readNow(wanted) ?? session.read(wanted, .test)
        return withExtendedLifetime(bytes) { bytes.segments.flatMap { Array($0) } }
    }

    /// Commits under `key`, and goes on over the object.
    func commit(
        as key: ObjectKey = SessionFixture.key, metadata: ObjectMetadata = ObjectMetadata(),
        forbidOverwrite: Bool = false
    ) throws {
        let request = CommitRequest(
            key: key, metadata: metadata, metadataWithoutTimes: metadata, properties: ObjectProperties(),
            forbidOverwrite: forbidOverwrite)
        var next: UploadSession?
        try session.commit(request, .test) { result in
            let reader = ObjectReader(
                key: key, etag: result.written.etag, size: result.size, cache: engine.cache)
            reader.adopt(result.blocks)
            #expect(result.size == Int64(model.count))
            // An edit must not show before its commit.
            next = Self.session(over: reader, engine, isDirect: false)
        }
        if let next { session = next }
    }

    var stored: [UInt8]? { memory.contents(Self.key) }

    /// Hidden objects and uploads that are there once everything has ended.
    func leftovers() -> [ObjectKey] {
        _ = eventually(within: .seconds(5)) {
            memory.keys.allSatisfy { $0 == Self.key } && memory.uploads.isEmpty
        }
        return memory.keys.filter { $0 != Self.key } + memory.uploads.map(\.address.key)
    }
}
