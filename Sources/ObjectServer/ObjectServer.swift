import Glibc
import Instrumentation
import Runtime

// ObjectServer: a server on a local folder that speaks OSS, to try the mount without an account and to test it.
//
// It is written from OSS's documentation and shares no code with the client: it signs, sums, parses and escapes by
// code of its own, so that a mistake made once is not made on both sides and passed over.
//
// Parts. `Connections` moves HTTP: `HTTPDaemon` runs libmicrohttpd with a thread for each connection, an `Exchange` is
// one request from head to reply. `Signatures` holds one file per scheme. `Operations` holds one file per family; each
// brings its lines of the routing table, and `Router` finds the line. `Answers` are
// what nobody could ask the real service: tests choose. `Tokens` are the two services that give out temporary keys. `Storage` is the folder: an SQLite index of rows by (bucket, key), and files that the rows' pieces
// are stretches of. `Faults` makes requests fail, wait and crawl on demand, and counts; `Admin` is
// the path by which tests ask for that. `Command` reads the command line.
//
// Invariants. Keys, header values and paths are bytes. An object is its row: a body is written whole before its row is
// swapped, in one transaction, and unlinked after, so that a kill at any moment leaves the old object or the new one,
// and a reader of the old one reads on. Bodies never change; copies are links to the same file. Bodies are never held
// in memory. A request is counted before any fault or wait, and its log line is complete before the first byte of its
// reply leaves. Blocking is allowed in a connection's thread, and every such wait ends when the peer hangs up or the
// server stops.
//
// Not done on purpose: durability against loss of power, more than one account, quotas, access rules. What OSS has and
// this server doesn't know yet gets NotImplemented (501), never an answer that is nearly right.
//
// Failure. What the storage throws is InternalError (500) to the client and a line in the log. A folder that another
// server has locked, a port that is taken, and a certificate that doesn't fit refuse to start.

/// What a server is started with.
package struct ServerConfiguration: Sendable {
    package var listen: ListenAddress
    package var folder: String
    package var buckets: [Bytes]
    package var region: Bytes
    package var keys: AccessKeys
    /// PEM texts, both or none.
    package var certificate: Bytes?
    package var certificateKey: Bytes?
    package var limits = ServerLimits()
    /// The longest life of temporary keys, in seconds.
    package var tokenSeconds: UInt64 = 3600
    package var auth = AuthServer.Options()
    /// True to measure large bodies and throw them away.
    package var hasSyntheticBodies = false
    package var answers = ServiceAnswers()
    /// Buckets of other regions, each with the endpoint that serves it.
    package var elsewhere: [Bytes: Bytes] = [:]
    /// True where the buckets have directories that can be renamed and deleted whole.
    package var isHierarchical = false
    package var log: Log

    package init(listen: ListenAddress, folder: String, buckets: [Bytes], region: Bytes, keys: AccessKeys, log: Log) {
        self.listen = listen
        self.folder = folder
        self.buckets = buckets
        self.region = region
        self.keys = keys
        self.log = log
    }
}

/// Why a server doesn't start.
package struct StartFailure: Error {
    package let reason: String
}

/// A running server.
package final class ObjectServer {
    private let daemon: HTTPDaemon
    private let parts: ServerParts
    /// How to reach it, with the port that it really has.
    package let url: String

    /// Starts to serve; returns when connections are taken.
    package init(_ configuration: ServerConfiguration) throws(StartFailure) {
        do {
            let folder = try ObjectFolder(
                path: configuration.folder, buckets: configuration.buckets,
                isSynthetic: configuration.hasSyntheticBodies, listsLate: configuration.answers.listings == .late)
            let (listener, port) = try ListeningSocket.open(configuration.listen)
            var tokens = TokenIssuer(account: configuration.keys)
            tokens.longestSeconds = Int64(clamping: configuration.tokenSeconds)
            parts = ServerParts(
                service: Service(
                    folder: folder, region: configuration.region, limits: configuration.limits,
                    answers: configuration.answers, elsewhere: configuration.elsewhere,
                    isHierarchical: configuration.isHierarchical, tokens: tokens, auth: configuration.auth),
                keys: configuration.keys,
                log: configuration.log)
            let started = HTTPDaemon(
                parts, listener: listener, certificate: configuration.certificate.map { $0 + [0] },
                certificateKey: configuration.certificateKey.map { $0 + [0] })
            guard let started else {
                close(listener)
                throw StartFailure(reason: "the HTTP library refuses to start; check certificate and key")
            }
            daemon = started
            url = configuration.listen.url(port: port, isSecure: configuration.certificate != nil)
        } catch let failure as StartFailure {
            throw failure
        } catch let error as StorageError {
            throw StartFailure(reason: "can't \(error.action): \(error.words.text ?? "")")
        } catch {
            throw StartFailure(reason: "the folder can't be used")
        }
    }

    /// Lets go of what faults hold, closes all connections and waits for their threads. Called once.
    package func stop() {
        parts.waits.stop.open()
        daemon.stop()
    }
}
