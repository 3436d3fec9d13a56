import COpenSSL

// Checksums: numbers and digests over bytes, and nothing else.
//
// Parts: `CRC64`, the CRC-64/XZ that OSS keeps of every object, as a value that takes bytes as they come and can be
// combined from pieces; `Digest` (SHA-256, SHA-1, MD5) and `MessageAuthentication` (HMAC) over OpenSSL.
//
// Invariants. Everything here is pure: no state outlives a call but the CRC's tables, which are computed before main
// from the polynomial alone. A CRC is always the visible one (inverted at both ends), so that of no bytes is 0, and that
// of a first piece seeds the second.
//
// The CRC is our own because no library on Debian has CRC-64/XZ at memory speed: 23 GB/s by carry-less multiplication
// where the processor has it, 1.9 GB/s by tables elsewhere (one core, in cache). Digests are OpenSSL's, which picks the
// processor's instructions by itself. MD5 and SHA-1 stand here only because protocols insist on them; nothing's safety
// rests on them.
//
// Failure: OpenSSL may refuse an algorithm (MD5 under a FIPS policy); that is a `DigestError` and never a wrong digest.

/// OpenSSL would not compute a digest, by policy or for want of memory.
package struct DigestError: Error, Sendable {
    /// OpenSSL's name of the algorithm, `MD5`.
    package var algorithm: String
}

/// The digest algorithms that the services' protocols use.
package enum Digest: Sendable, CaseIterable {
    case sha256, sha1, md5

    /// Bytes of a digest.
    package var count: Int {
        switch self {
        case .sha256: 32
        case .sha1: 20
        case .md5: 16
        }
    }

    /// The digest of `bytes`, `count` bytes; throws `DigestError` where OpenSSL refuses the algorithm.
    package func callAsFunction(_ bytes: some Sequence<UInt8>) throws(DigestError) -> [UInt8] {
        let input = Array(bytes)
        return try compute(input, input.count)
    }

    /// The same over memory that the caller owns.
    package func callAsFunction(_ bytes: UnsafeRawBufferPointer) throws(DigestError) -> [UInt8] {
        try compute(bytes.baseAddress, bytes.count)
    }

    private func compute(_ bytes: UnsafeRawPointer?, _ length: Int) throws(DigestError) -> [UInt8] {
        var digestLength: UInt32 = 0
        var digest = [UInt8](repeating: 0, count: count)
        guard EVP_Digest(bytes, length, &digest, &digestLength, algorithm, nil) == 1, Int(digestLength) == count
        else { throw DigestError(algorithm: name) }
        return digest
    }

    var algorithm: OpaquePointer? {
        switch self {
        case .sha256: EVP_sha256()
        case .sha1: EVP_sha1()
        case .md5: EVP_md5()
        }
    }

    var name: String {
        switch self {
        case .sha256: "SHA256"
        case .sha1: "SHA1"
        case .md5: "MD5"
        }
    }
}

/// HMAC, RFC 2104, over a digest.
package enum MessageAuthentication {
    /// The code of `message` under `key`, as long as the digest; an empty key is allowed.
    package static func hmac(_ digest: Digest, key: [UInt8], message: [UInt8]) throws(DigestError) -> [UInt8] {
        var length: UInt32 = 0
        var code = [UInt8](repeating: 0, count: digest.count)
        // A null key would mean "the key of before" to OpenSSL: an empty one still needs an address.
        let storedKey = key.isEmpty ? [0] : key
        let result = HMAC(
            digest.algorithm, storedKey, Int32(clamping: key.count), message, message.count, &code, &length)
        guard result != nil, Int(length) == digest.count else { throw DigestError(algorithm: digest.name) }
        return code
    }
}
