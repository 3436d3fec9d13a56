import COpenSSL

/// OpenSSL's digests, keyed and not.
enum Digests {
    static func sha256(_ bytes: Bytes) -> Bytes {
        var digest = Bytes(repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }

    static func md5(_ bytes: Bytes) -> Bytes {
        var digest = Bytes(repeating: 0, count: 16)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil)
        return digest
    }

    static func hmacSHA256(key: Bytes, _ bytes: Bytes) -> Bytes {
        var digest = Bytes(repeating: 0, count: 32)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        return digest
    }

    static func hmacSHA1(key: Bytes, _ bytes: Bytes) -> Bytes {
        var digest = Bytes(repeating: 0, count: 20)
        var length: UInt32 = 0
        HMAC(EVP_sha1(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        return digest
    }

    /// True if both are the same, in a time that doesn't tell where they differ.
    static func areEqual(_ left: Bytes, _ right: Bytes) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    static func base64(_ bytes: Bytes) -> Bytes {
        var text = Bytes(repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return Bytes(text[..<Int(length)])
    }

    /// nil where `text` is not base64 with its padding.
    static func fromBase64(_ text: Bytes) -> Bytes? {
        guard !text.isEmpty, text.count % 4 == 0 else { return text.isEmpty ? [] : nil }
        var bytes = Bytes(repeating: 0, count: text.count / 4 * 3)
        guard EVP_DecodeBlock(&bytes, text, Int32(text.count)) == bytes.count else { return nil }
        return Bytes(bytes.dropLast(text.suffix(2).count { $0 == 0x3D }))
    }

    static func random(_ count: Int) -> Bytes {
        var bytes = Bytes(repeating: 0, count: count)
        RAND_bytes(&bytes, Int32(count))
        return bytes
    }
}

/// An MD5 that takes its bytes piece by piece; of one thread.
final class RunningMD5 {
    private let context: OpaquePointer?

    init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_md5(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// The digest; called once, after the last byte.
    func finish() -> Bytes {
        var digest = Bytes(repeating: 0, count: 16)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }
}
