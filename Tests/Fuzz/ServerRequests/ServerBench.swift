import FuzzSupport
import Glibc
import Instrumentation
import Runtime

@testable import ObjectServer

/// A server without connections, on a folder that is kept from input to input as long as it can be emptied.
final class ServerBench {
    // Guards the folder that waits for the next input, empty; a leaf lock.
    private static let kept = Locked<Kept?>(nil)

    private struct Kept {
        let folder: ObjectFolder
        let path: String
    }

    private static let buckets = [Bytes("photos"), Bytes("other")]
    private static let keys = AccessKeys(identifier: Bytes("id"), secret: Bytes("secret"), securityToken: nil)

    private let home: Kept
    private let parts: ServerParts
    /// Whether faults were asked for when the last request was answered.
    private(set) var hasFaults = false

    init() throws(Finding) {
        if let kept = Self.kept.withLock({ kept in
            defer { kept = nil }
            return kept
        }) {
            home = kept
        } else {
            home = try Self.make()
        }
        let service = Service(
            folder: home.folder, region: Bytes("cn-hangzhou"), tokens: TokenIssuer(account: Self.keys))
        parts = ServerParts(service: service, keys: Self.keys, log: .silent)
    }

    private static func make() throws(Finding) -> Kept {
        let root =
            getenv("TMPDIR").flatMap { Bytes(UnsafeRawBufferPointer(start: $0, count: strlen($0))).text } ?? "/tmp"
        var name = Bytes("\(root)/ossmount-fuzz-XXXXXX".utf8).map { CChar(bitPattern: $0) } + [0]
        guard mkdtemp(&name) != nil, let path = name.dropLast().map({ UInt8(bitPattern: $0) }).text else {
            throw Finding("no folder can be made in \(root)")
        }
        do {
            return Kept(folder: try ObjectFolder(path: path, buckets: buckets), path: path)
        } catch {
            throw Finding("a folder can't be opened: \(error)")
        }
    }

    /// The reply; nil where a fault that was asked for closes the connection.
    func answer(_ raw: RawRequest) throws(Finding) -> Reply? {
        // Waits and slowness are the network's: here they would only be slow.
        parts.latency.withLock { $0 = Latency() }
        let rules = parts.rules.all
        if rules.contains(where: { $0.kind == .hang || $0.kind == .slow }) { parts.rules.clear() }
        hasFaults = !parts.rules.all.isEmpty
        let exchange = Exchange(parts, target: raw.target)
        defer { exchange.end() }
        let headers = signed(raw)
        var outcome = exchange.begin(method: raw.method, headers: headers, socket: -1, isLoopback: true)
        if case .proceed = outcome {
            // In two pieces, as a body comes.
            let half = raw.body.count / 2
            for piece in [raw.body[..<half], raw.body[half...]] where !piece.isEmpty {
                if !piece.withUnsafeBytes({ exchange.receive($0) }) {
                    try require(hasFaults, "a connection is closed within a body")
                    return nil
                }
            }
            outcome = exchange.finish()
        }
        switch outcome {
        case .answer(let reply):
            if !hasFaults { try require(reply.status != 500, "an internal error") }
            return reply
        case .drop:
            try require(hasFaults, "a connection is closed without a reply")
            return nil
        case .proceed: throw Finding("a request never comes to its end")
        }
    }

    /// With a signature that holds, unless the request brings one of its own.
    private func signed(_ raw: RawRequest) -> Fields {
        var headers = raw.headers
        let request = Request(method: raw.method, target: raw.target, headers: headers)
        guard !SignatureChecker.schemes.contains(where: { $0.claims(request) }), headers["authorization"] == nil else {
            return headers
        }
        headers.all.removeAll { $0.name.isEqual(to: "date") || $0.name.isEqual(to: "x-oss-date") }
        let date = Dates.header(parts.service.clock.now)
        headers.append("date", date)
        let whole = Request(method: raw.method, target: raw.target, headers: headers)
        let signature = SignatureV1.signature(SignatureV1.stringToSign(whole, date: date), Self.keys)
        headers.append("authorization", Bytes("OSS id:") + signature)
        return headers
    }

    /// Empties the folder for the next input; one that has uploads or versions is thrown away.
    func finish() throws(Finding) {
        var isEmptied = true
        do {
            for bucket in Self.buckets {
                for object in try home.folder.list(bucket, ListingQuery.everything).objects {
                    _ = try home.folder.delete(bucket, object.key, version: nil, now: 0)
                }
                let stat = try home.folder.stat(bucket)
                let left = stat.classes.reduce(0) { $0 + $1.objects }
                if left > 0 || stat.uploads > 0 || home.folder.versioning(bucket) != .off { isEmptied = false }
            }
        } catch {
            throw Finding("a folder can't be emptied: \(error)")
        }
        if isEmptied { Self.kept.withLock { $0 = home } } else { Self.remove(home.path) }
    }

    /// Removes the folder that is kept.
    static func cleanUp() {
        let kept = kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
        if let kept { remove(kept.path) }
    }

    /// Removes a folder with what is in it; links are not followed.
    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { Bytes($0.prefix { $0 != 0 }) }
                guard let name = name.text, name != ".", name != ".." else { continue }
                if entry.pointee.d_type == UInt8(DT_DIR) {
                    remove(path + "/" + name)
                } else {
                    unlink(path + "/" + name)
                }
            }
        }
        rmdir(path)
    }
}

extension ListingQuery {
    /// All objects of a bucket, as far as one input can make any.
    static var everything: ListingQuery {
        var query = ListingQuery()
        query.maximum = 1000
        query.carriesAnyKey = true
        return query
    }
}
