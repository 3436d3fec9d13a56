import Instrumentation
import Runtime

// Credentials: who the requests are signed for, and where that comes from.
//
// Parts: `Credentials`, the immutable triple with its expiry; `CredentialsProvider`, what a client asks before each
// request; `StaticCredentialsProvider` and `EnvironmentCredentialsProvider`, which have what they have;
// `PasswordFileProvider`, which reads its file again when asked for others; `RefreshingCredentialsProvider`, which asks
// a `CredentialsSource` ahead of expiry, and `AuthServerSource`, the one source there is; `PrivateFile`, which reads
// files that nobody else may see; `ProcessEnvironment`, which reads and wipes the process's variables.
//
// Invariants. A secret or a token is in no description, mirror, error or log line: `Credentials` shows its id alone.
// A provider is asked for each attempt and answers from memory when it can, so that what it refreshes takes effect at
// once. `forceRefresh` names the credentials that were refused: of many requests refused at the same time the first
// refreshes and the rest get what it got.
//
// Times of expiry are the server's, and compared with the clock that its client corrects (`ServerClock`).
//
// Failure: a provider that has nothing says what it looked for. Errors tell apart what the user must mend (`missing`,
// `malformed`) and what may pass (`unavailable`), so that a mount doesn't wait for a variable that will never be set.
//
// Not here: signing (the clients'), and when to ask again after a refusal (theirs too).

/// An access key with its secret, and for temporary ones a token; never changes.
package struct Credentials: Sendable, Hashable {
    /// Public: may be logged.
    package let accessKeyID: [UInt8]
    package let accessKeySecret: [UInt8]
    /// Of the security token service; nil for a long-lived key pair.
    package let securityToken: [UInt8]?
    /// When the server will stop to take them; nil where they don't expire or nobody said.
    package let expiry: WallTime?

    /// Throws `malformed` where a part is empty or holds anything but printable ASCII, as it goes into headers.
    package init(
        accessKeyID: [UInt8], accessKeySecret: [UInt8], securityToken: [UInt8]? = nil, expiry: WallTime? = nil
    ) throws(CredentialsError) {
        let parts: [(StaticString, [UInt8]?)] = [
            ("access key id", accessKeyID), ("access key secret", accessKeySecret), ("security token", securityToken),
        ]
        for case (let name, let bytes?) in parts {
            guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw CredentialsError(
                    kind: .malformed, message: "the \(name) is empty or holds blanks, control or non-ASCII characters")
            }
        }
        self.accessKeyID = accessKeyID
        self.accessKeySecret = accessKeySecret
        self.securityToken = securityToken
        self.expiry = expiry
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id, and whether there is a token; nothing secret.
    package var description: String {
        let id = String(accessKeyID.map { Character(UnicodeScalar($0)) })
        return "Credentials(\(id)\(securityToken == nil ? "" : ", temporary"))"
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Yields credentials; asked before every attempt of a request.
///
/// May be called from any thread. Both calls may block until `deadline`, or until `cancellation` is set: then they throw
/// `cancelled`.
package protocol CredentialsProvider: Sendable {
    /// The credentials to sign with now.
    func credentials(deadline: Deadline, cancellation: Cancellation?) throws(CredentialsError) -> Credentials

    /// Called when the server has refused `rejected` as expired or invalid: others where this provider can get any, by
    /// now or by asking its source anew; nil where it has no others.
    func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials?
}

extension CredentialsProvider {
    /// As the other, for callers that nobody cancels.
    package func credentials(deadline: Deadline) throws(CredentialsError) -> Credentials {
        try credentials(deadline: deadline, cancellation: nil)
    }

    /// As the other, for callers that nobody cancels.
    package func forceRefresh(rejected: Credentials, deadline: Deadline) throws(CredentialsError) -> Credentials? {
        try forceRefresh(rejected: rejected, deadline: deadline, cancellation: nil)
    }
}

/// Why there are no credentials.
package struct CredentialsError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Nothing is configured.
        case missing
        /// What is configured can't be credentials.
        case malformed
        /// Their source can't be reached, or not in time; may pass.
        case unavailable
        /// Their source refuses.
        case refused
        /// The caller gave up waiting for them.
        case cancelled
    }

    package var kind: Kind
    /// What was looked for, and what to do; never a secret.
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Credentials that were given and never change.
package struct StaticCredentialsProvider: CredentialsProvider {
    private let fixed: Credentials

    package init(_ credentials: Credentials) { fixed = credentials }

    package func credentials(
        deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials { fixed }

    package func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials? {
        rejected == fixed ? nil : fixed
    }
}
