/// How requests are signed.
package enum SignatureVersion: Sendable, Hashable, CaseIterable {
    /// Version 4 where the region is given or the endpoint tells it, else version 1.
    case automatic
    /// HMAC-SHA256 bound to a day and a region.
    case v4
    /// HMAC-SHA1, which needs no region.
    case v1

    /// The word of the `signature` option; nil for any other.
    package init?(option: String) {
        switch option {
        case "auto": self = .automatic
        case "v4": self = .v4
        case "v1": self = .v1
        default: return nil
        }
    }
}

extension OSSClientConfiguration {
    /// The signer that this bucket's requests go through.
    func makeSigner() -> any RequestSigner {
        guard let region, signature != .v1 else { return SignerV1() }
        return SignerV4(region: region, product: endpoint.signingProduct)
    }
}
