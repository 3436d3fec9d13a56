import Glibc
import Runtime

/// Credentials of the variables that all of OSS's own tools read: `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and,
/// for temporary ones, `OSS_SESSION_TOKEN`.
///
/// They are read once, when the provider is made, as they are to be wiped right after.
package struct EnvironmentCredentialsProvider: CredentialsProvider {
    package static let accessKeyIDVariable = "OSS_ACCESS_KEY_ID"
    package static let accessKeySecretVariable = "OSS_ACCESS_KEY_SECRET"
    package static let sessionTokenVariable = "OSS_SESSION_TOKEN"

    /// All variables that hold credentials, to be wiped.
    package static let variables = [accessKeyIDVariable, accessKeySecretVariable, sessionTokenVariable]

    private let outcome: Result<Credentials, CredentialsError>

    /// - Parameter value: looks up a variable; the process's own by default. Blanks around a value don't count.
    package init(value: (String) -> [UInt8]? = ProcessEnvironment.value(of:)) {
        do throws(CredentialsError) {
            outcome = .success(try Self.read(value))
        } catch {
            outcome = .failure(error)
        }
    }

    package func credentials(
        deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials { try outcome.get() }

    package func forceRefresh(
        rejected: Credentials, deadline: Deadline, cancellation: Cancellation?
    ) throws(CredentialsError) -> Credentials? {
        let own = try outcome.get()
        return rejected == own ? nil : own
    }

    private static func read(_ value: (String) -> [UInt8]?) throws(CredentialsError) -> Credentials {
        func trimmed(_ name: String) -> [UInt8]? {
            guard let bytes = value(name) else { return nil }
            let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
            let text = bytes.drop(while: isBlank)
            let kept = Array(text.reversed().drop(while: isBlank).reversed())
            return kept.isEmpty ? nil : kept
        }
        let id = trimmed(accessKeyIDVariable)
        let secret = trimmed(accessKeySecretVariable)
        guard let id, let secret else {
            let absent = id != nil ? accessKeySecretVariable : secret != nil ? accessKeyIDVariable : nil
            throw CredentialsError(
                kind: .missing,
                message: absent.map { "\($0) is not set" }
                    ?? "\(accessKeyIDVariable) and \(accessKeySecretVariable) are not set")
        }
        return try Credentials(
            accessKeyID: id, accessKeySecret: secret, securityToken: trimmed(sessionTokenVariable))
    }
}

/// The process's variables, as bytes.
package enum ProcessEnvironment {
    /// The value of a variable; nil where it isn't set.
    package static func value(of name: String) -> [UInt8]? {
        guard let text = getenv(name) else { return nil }
        return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// Overwrites the variables' values where they lie and removes them, so that neither `/proc/PID/environ` nor a
    /// child shows them any more. Call before the first thread: glibc's environment has no lock.
    package static func wipe(_ names: [String]) {
        for name in names {
            guard let text = getenv(name) else { continue }
            memset(text, Int32(UInt8(ascii: "*")), strlen(text))
            unsetenv(name)
        }
    }
}
