import Checksums
import Credentials
import HTTPTransport
import Instrumentation
import ObjectStore

/// Why no URL could be signed.
package enum PresignError: Error, Sendable, Hashable {
    /// Outside of `PresignedURL.lifetimes`.
    case lifetimeOutOfRange
    /// There are no credentials.
    case credentials(CredentialsError)
    /// OpenSSL refuses the digest of the signature.
    case digest
}

/// URLs that carry their own authorisation, for programs that have no keys.
enum PresignedURL {
    /// Seconds: what version 4 takes at most, a week; version 1 would take more.
    static let lifetimes: ClosedRange<Int64> = 1...604_800

    /// The URL by which whoever has it may do just this request until `time` and `lifetime` seconds.
    ///
    /// Headers of `request` that the signature covers must be sent along.
    static func make(
        _ request: SignableRequest, at location: BucketLocation, signer: any RequestSigner, credentials: Credentials,
        from time: WallTime, lifetime: Int64
    ) throws(PresignError) -> [UInt8] {
        guard lifetimes.contains(lifetime) else { throw .lifetimeOutOfRange }
        let query: [QueryItem]
        do throws(DigestError) {
            query = try signer.signedQuery(for: request, credentials: credentials, at: time, lifetime: lifetime)
        } catch {
            throw .digest
        }
        return location.url(key: request.key, query: query)
    }
}

extension OSSClient {
    /// The URL by which whoever has it may read the object for `lifetime` seconds, at most a week, and never longer than
    /// temporary credentials last; may wait for credentials until the context's deadline.
    package func presignedURL(
        _ key: ObjectKey, lifetime: Int64, _ context: RequestContext
    ) throws(PresignError) -> [UInt8] {
        let credentials: Credentials
        do throws(CredentialsError) {
            credentials = try provider.credentials(deadline: context.deadline, cancellation: context.cancellation)
        } catch {
            throw .credentials(error)
        }
        let request = SignableRequest(
            method: "GET", bucket: Array(configuration.bucket.utf8), key: key.bytes, query: [], headers: [])
        return try PresignedURL.make(
            request, at: location, signer: signer, credentials: credentials, from: serverTime, lifetime: lifetime)
    }
}
