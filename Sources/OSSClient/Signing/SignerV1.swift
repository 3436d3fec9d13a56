import Checksums
import Credentials
import Encoding
import HTTPTransport
import Instrumentation

/// Signature version 1 of OSS, HMAC-SHA1: the one that needs no region.
///
/// The official SDKs' vectors pin every byte of it. Names and values stand unescaped in what is signed, and of the query
/// only what changes the meaning of a call.
struct SignerV1: RequestSigner {
    func headers(
        for request: SignableRequest, credentials: Credentials, at time: WallTime
    ) throws(DigestError) -> [HTTPHeader] {
        var added = [HTTPHeader("Date", time.httpDate)]
        if let token = credentials.securityToken { added.append(HTTPHeader("x-oss-security-token", token)) }
        var whole = request
        whole.headers += added
        let signature = try Self.sign(Self.stringToSign(whole, date: time.httpDate), credentials)
        let authorization = Array("OSS ".utf8) + credentials.accessKeyID + [UInt8(ascii: ":")] + signature
        return added + [HTTPHeader("Authorization", authorization)]
    }

    func signedQuery(
        for request: SignableRequest, credentials: Credentials, at time: WallTime, lifetime: Int64
    ) throws(DigestError) -> [QueryItem] {
        var whole = request
        if let token = credentials.securityToken { whole.query.append(QueryItem("security-token", token)) }
        let expiry = String(time.seconds + lifetime)
        let signature = try Self.sign(Self.stringToSign(whole, date: Array(expiry.utf8)), credentials)
        return whole.query + [
            QueryItem("OSSAccessKeyId", credentials.accessKeyID), QueryItem("Expires", expiry),
            QueryItem("Signature", signature),
        ]
    }

    private static func sign(_ text: [UInt8], _ credentials: Credentials) throws(DigestError) -> [UInt8] {
        Base64.encode(try MessageAuthentication.hmac(.sha1, key: credentials.accessKeySecret, message: text))
    }

    /// - Parameter date: the `Date` header as it is sent, or when a signed URL expires, in seconds.
    static func stringToSign(_ request: SignableRequest, date: [UInt8]) -> [UInt8] {
        let lineFeed: [UInt8] = [0x0A]
        var named: [String: [UInt8]] = [:]
        for header in request.headers {
            let name = header.name.lowercased()
            let value = CanonicalForm.trimmed(header.value)
            named[name] = named[name].map { $0 + [UInt8(ascii: ",")] + value } ?? value
        }
        var text = Array(request.method.utf8) + lineFeed
        text += (named["content-md5"] ?? []) + lineFeed
        text += (named["content-type"] ?? []) + lineFeed
        text += date + lineFeed
        for (name, value) in named.sorted(by: { $0.key < $1.key }) where name.hasPrefix("x-oss-") {
            text += Array(name.utf8) + [UInt8(ascii: ":")] + value + lineFeed
        }
        return text + resource(request)
    }

    /// `/bucket/key?acl&versionId=x`, nothing escaped.
    private static func resource(_ request: SignableRequest) -> [UInt8] {
        var text = [UInt8(ascii: "/")]
        if let bucket = request.bucket { text += bucket + [UInt8(ascii: "/")] + (request.key ?? []) }
        let signed = request.query.filter { isSigned($0.name) }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
        for (index, item) in signed.enumerated() {
            text += [index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&")] + item.name
            if !item.value.isEmpty { text += [UInt8(ascii: "=")] + item.value }
        }
        return text
    }

    private static func isSigned(_ name: [UInt8]) -> Bool {
        name.starts(with: "x-oss-".utf8) || subresources.contains(name)
    }

    /// What the official SDKs sign, those of older versions too; everything else, `prefix` say, isn't covered.
    private static let subresources: Set<[UInt8]> = Set(
        """
        acl bucketInfo location stat delete append tagging objectMeta uploads uploadId partNumber security-token position
        response-content-type response-content-language response-expires response-cache-control
        response-content-disposition response-content-encoding restore callback callback-var versions versioning
        versionId sequential continuation-token regionList cloudboxes symlink resourceGroup cleanRestoredObject seal
        logging group link website objectInfo cors lifecycle qos referer live comp status vod startTime endTime
        encryption policy requestPayment qosInfo asyncFetch inventory inventoryId worm wormId wormExtend replication
        replicationLocation replicationProgress transferAcceleration cname metaQuery style styleName
        bucketArchiveDirectRead httpsConfig redundancyTransition accessPoint accessPointPolicy publicAccessBlock
        requesterQosInfo qosRequester resourcePoolInfo resourcePool resourcePoolBuckets
        """.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) })
}
