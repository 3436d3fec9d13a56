import Encoding
import Glibc
import ObjectStore

// oss-call: the client of OSS behind a pipe, so that other languages' tests can drive it beside other clients.
//
// One JSON document a line comes in, one goes out. A request has `call`, the name of one; `client`, where and as whom
// (`CallClients`); and the call's own parameters. Bytes (keys, values of headers, ETags) are hexadecimal; objects' bytes
// stand in files, named by `body` and `out`. The answer has `result`, or `error` with what the client threw, or
// `misuse`, where the request is none.
//
// Not here: any policy. A parameter is passed on as it came, and an answer holds what the client gave, nothing else.

/// Reads requests until their stream ends.
struct CallLoop {
    private let clients = CallClients()

    /// 64 KiB: one read of a pipe.
    private static let chunkBytes = 64 * 1024

    /// Returns the program's exit code.
    func run() -> Int32 {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return count == 0 ? 0 : 1 }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: 0x0A) {
                let answer = answer(to: Array(pending[..<end])).text + [0x0A]
                pending.removeFirst(end + 1)
                guard Self.write(answer) else { return 1 }
            }
        }
    }

    private func answer(to line: [UInt8]) -> JSONValue {
        do {
            guard let value = JSONValue(parsing: line), case .object(let fields) = value else {
                throw Misuse("a request is an object")
            }
            let request = CallParameters(fields)
            let client = try clients.client(try request.inner("client"))
            return .object(["result": try Calls.make(try request.text("call"), request, client)])
        } catch let error as ObjectStoreError {
            return .object(["error": error.told])
        } catch {
            return .object(["misuse": .string("\(error)")])
        }
    }

    private static func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// A request that is none.
struct Misuse: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension ObjectStoreError {
    var told: JSONValue {
        .object([
            "kind": .string("\(kind)"), "operation": .string("\(operation)"),
            "status": status.map { .integer(Int64($0)) } ?? .null, "code": .string(code),
            "request_id": .string(requestID), "ec": .string(ec), "message": .string(message),
            "append_position": appendPosition.map { .integer($0) } ?? .null,
            "delete_marker": deleteMarker.map { .hex($0.bytes) } ?? .null,
        ])
    }
}
