import Encoding
import Glibc

/// How a bucket stands in a URL.
package enum Addressing: Sendable, Hashable, CaseIterable {
    /// `path` for an IP address and for this machine (`localhost`), else `virtualHost`.
    case automatic
    /// `https://BUCKET.ENDPOINT/KEY`: the only form that the public service takes.
    case virtualHost
    /// `https://ENDPOINT/BUCKET/KEY`.
    case path
    /// `https://ENDPOINT/KEY`, where the endpoint is a domain of the bucket's owner.
    case customDomain

    /// The word of the `addressing` option; nil for any other.
    package init?(option: String) {
        switch option {
        case "auto": self = .automatic
        case "virtual": self = .virtualHost
        case "path": self = .path
        case "cname": self = .customDomain
        default: return nil
        }
    }
}

/// What is wrong with the address of a bucket, in words for the user.
package struct EndpointError: Error, Sendable, Hashable {
    package var message: String
}

/// A scheme, a host and perhaps a port.
package struct Endpoint: Sendable, Hashable {
    package var isSecure: Bool
    /// Lower case; an IPv6 address stands in brackets.
    package var host: String
    /// Nil for the scheme's own.
    package var port: UInt16?

    /// Reads `https://host`, `http://host:port`, or `host`, which means https.
    package init(_ text: String) throws(EndpointError) {
        var rest = Substring(text)
        isSecure = true
        if let scheme = rest.range(ofSchemeSeparator: "://") {
            switch rest[..<scheme.lowerBound].lowercased() {
            case "https": isSecure = true
            case "http": isSecure = false
            default: throw EndpointError(message: "the endpoint's scheme is neither http nor https")
            }
            rest = rest[scheme.upperBound...]
        }
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains("@") else { throw EndpointError(message: "an endpoint holds no user or password") }
        guard !rest.contains(where: { "/?#".contains($0) }) else {
            throw EndpointError(message: "an endpoint is a host, without a path or query")
        }
        var name = rest
        // In brackets, colons belong to an IPv6 address.
        if let colon = rest.lastIndex(of: ":"), rest[colon...].allSatisfy({ $0 != "]" }) {
            let digits = rest[rest.index(after: colon)...]
            // A sign before it would be read as well.
            guard digits.first != "+", let number = UInt16(digits), number > 0 else {
                throw EndpointError(message: "the endpoint's port is not a number from 1 to 65535")
            }
            port = number
            name = rest[..<colon]
        }
        host = name.lowercased()
        guard Self.isHost(host) else { throw EndpointError(message: "the endpoint's host name is not one") }
    }

    /// Whether the host is an address, or this machine, where buckets seldom have names of their own.
    package var isAddress: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("[") || Self.isIPv4(host)
    }

    /// The region that the service's own host names tell: `oss-cn-hangzhou[-internal].aliyuncs.com`,
    /// `cn-hangzhou.oss.aliyuncs.com` (IPv6 too), `s3.oss-cn-hangzhou.aliyuncs.com`, and of a CloudBox its own id,
    /// `cb-1.cn-hangzhou.oss-cloudbox.aliyuncs.com`; with or without a bucket before it. Nil for any other host: those of
    /// transfer acceleration, `oss-accelerate[-overseas].aliyuncs.com`, serve all regions.
    package var region: String? {
        let labels = host.split(separator: ".").map(String.init)
        guard labels.count >= 3, labels.suffix(2) == ["aliyuncs", "com"] else { return nil }
        let label = labels[labels.count - 3]
        if label == "oss", labels.count >= 4 { return labels[labels.count - 4] }
        if isCloudBox {
            return labels.count >= 5 && labels[labels.count - 5].hasPrefix("cb-") ? labels[labels.count - 5] : nil
        }
        guard label.hasPrefix("oss-"), !label.hasPrefix("oss-accelerate") else { return nil }
        let name = label.dropFirst(4)
        let region = name.hasSuffix("-internal") ? name.dropLast(9) : name
        return region.isEmpty ? nil : String(region)
    }

    /// What signatures of version 4 call the service.
    package var signingProduct: String { isCloudBox ? "oss-cloudbox" : "oss" }

    private var isCloudBox: Bool {
        host.hasSuffix(".oss-cloudbox.aliyuncs.com") || host.hasSuffix(".oss-cloudbox-control.aliyuncs.com")
    }

    private static func isIPv4(_ host: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return false }
            var address = in6_addr()
            return inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
        }
        // 253: RFC 1035 with the length bytes taken off.
        guard !host.isEmpty, host.utf8.count <= 253, !host.hasPrefix("."), !host.contains("..") else { return false }
        return host.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        }
    }
}

extension Substring {
    /// The first occurrence of `separator`.
    fileprivate func range(ofSchemeSeparator separator: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(separator) }.map { $0..<index($0, offsetBy: separator.count) }
    }
}

/// Where one bucket is: what goes before a key in a URL.
struct BucketLocation: Sendable, Hashable {
    /// Scheme, host, port, and for `path` the bucket; ends in `/`.
    let base: [UInt8]

    init(endpoint: Endpoint, bucket: String, addressing: Addressing) {
        let isOwnName = endpoint.host.hasPrefix(bucket + ".")
        var style = addressing
        if style == .automatic { style = endpoint.isAddress ? .path : isOwnName ? .customDomain : .virtualHost }
        let scheme = endpoint.isSecure ? "https://" : "http://"
        let port = endpoint.port.map { ":\($0)" } ?? ""
        base =
            switch style {
            case .automatic, .virtualHost: Array("\(scheme)\(bucket).\(endpoint.host)\(port)/".utf8)
            case .path: Array("\(scheme)\(endpoint.host)\(port)/\(bucket)/".utf8)
            case .customDomain: Array("\(scheme)\(endpoint.host)\(port)/".utf8)
            }
    }

    /// The whole URL of a key, or of the bucket.
    func url(key: [UInt8]?, query: [QueryItem]) -> [UInt8] {
        var text = base
        if let key { PercentEncoding.append(key, keepingSlashes: true, to: &text) }
        if !query.isEmpty {
            text.append(UInt8(ascii: "?"))
            text += CanonicalForm.query(query)
        }
        return text
    }
}
