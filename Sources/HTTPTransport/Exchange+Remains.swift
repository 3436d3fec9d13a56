import Glibc

/// The answer of a server that refused a body and closed at once.
///
/// Writing to such a connection fails, and libcurl then drops it unread. The answer still stands in the socket: it is
/// read before the close. Not so over TLS, whose keys libcurl keeps; there such a race ends in `connectionLost`.
extension Exchange {
    /// Keeps what `socket` holds, if it may be an answer. Called right before the socket is closed.
    func readRemains(of socket: Int32) {
        guard phase == .active, !request.isTLS, !hasAnswerBytes else { return }
        var bytes = [UInt8](repeating: 0, count: HeadReader.limitBytes)
        var count = 0
        while count < bytes.count {
            let received = bytes.withUnsafeMutableBytes { buffer in
                recv(socket, buffer.baseAddress.map { $0 + count }, buffer.count - count, Int32(MSG_DONTWAIT))
            }
            guard received > 0 else { break }
            count += received
        }
        remains = Array(bytes.prefix(count))
    }

    /// Hands the answer in the remains on; false where there is no whole refusal (300 and above) in them.
    func deliverRemains() -> Bool {
        guard !remains.isEmpty, !hasAnswerBytes else { return false }
        return remains.withUnsafeBytes { bytes in
            guard let (head, body) = Self.answer(in: bytes) else { return false }
            handOn(head)
            return body.isEmpty || receiver.receive(body)
        }
    }

    /// The refusal and its body in `bytes`; nil where it isn't whole or its length is in chunks.
    static func answer(in bytes: UnsafeRawBufferPointer) -> (HTTPResponseHead, UnsafeRawBufferPointer)? {
        var reader = HeadReader()
        var start = 0
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            let event = reader.take(UnsafeRawBufferPointer(rebasing: bytes[start...end]))
            start = end + 1
            switch event {
            case .more: continue
            case .malformed: return nil
            case .head(let head):
                let rest = bytes[start...]
                guard head.status >= 300, head.value(of: "transfer-encoding") == nil else { return nil }
                guard let announced = head.value(of: "content-length") else {
                    return (head, UnsafeRawBufferPointer(rebasing: rest))
                }
                guard let length = String(validating: announced, as: UTF8.self).flatMap({ Int($0) }),
                    (0...rest.count).contains(length)
                else { return nil }
                return (head, UnsafeRawBufferPointer(rebasing: rest.prefix(length)))
            }
        }
        return nil
    }
}
