import Credentials
import HTTPTransport
import Instrumentation
import OSSClient
import ObjectStore

/// The clients that requests have named, each made once; all over one transport. Used by one thread.
final class CallClients {
    private var clients: [CallParameters: OSSClient] = [:]
    private let transport = CurlTransport()

    /// - Parameter place: `endpoint`, `bucket`, `region`, `signature`, `key_id`, `secret`, and `token` if there is one;
    ///   `number` tells clients of one place apart.
    func client(_ place: CallParameters) throws -> OSSClient {
        if let known = clients[place] { return known }
        guard let signature = SignatureVersion(option: try place.text("signature")) else {
            throw Misuse("signature is v1, v4 or auto")
        }
        let credentials = try Credentials(
            accessKeyID: Array(try place.text("key_id").utf8), accessKeySecret: Array(try place.text("secret").utf8),
            securityToken: try place.textIfGiven("token").map { Array($0.utf8) })
        let client = OSSClient(
            configuration: try OSSClientConfiguration(
                endpoint: try place.text("endpoint"), region: try place.text("region"),
                bucket: try place.text("bucket"), signature: signature),
            transport: transport, credentials: StaticCredentialsProvider(credentials), log: .silent)
        clients[place] = client
        return client
    }
}
