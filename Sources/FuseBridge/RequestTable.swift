import Runtime

/// What was read from the device and not yet answered, by the number that the kernel gives each request.
///
/// Who takes over the descriptor needs the numbers to answer what this process leaves; the interrupt watcher needs the
/// requests behind them. A request without a `FuseRequest` is one that libfuse answers by itself.
final class RequestTable: Sendable {
    /// Opcodes of linux/fuse.h below this are counted each by itself; above it only CUSE has some.
    private static let opcodeLimit = 64

    private struct State {
        var open: [UInt64: FuseRequest?] = [:]
        var counts = [UInt64](repeating: 0, count: opcodeLimit)
    }

    // Guards the open requests and the counts; a leaf: nothing is called while it is held.
    private let state = Locked(State())

    /// A request was read.
    func noteRead(unique: UInt64, opcode: UInt32, wantsAnswer: Bool) {
        state.withLock { state in
            if Int(opcode) < Self.opcodeLimit { state.counts[Int(opcode)] += 1 }
            if wantsAnswer { state.open.updateValue(nil, forKey: unique) }
        }
    }

    /// A request got its object.
    func attach(_ request: FuseRequest) {
        state.withLock { _ = $0.open.updateValue(request, forKey: request.unique) }
    }

    /// The kernel was given the answer, or refused it.
    func noteAnswered(unique: UInt64) {
        // The object is let go outside the lock, as its end may run code of others.
        _ = state.withLock { $0.open.removeValue(forKey: unique) }
    }

    func request(unique: UInt64) -> FuseRequest? {
        state.withLock { $0.open[unique] ?? nil }
    }

    /// Requests read and not answered.
    var count: Int { state.withLock { $0.open.count } }

    /// Their numbers, in no order.
    var uniques: [UInt64] { state.withLock { Array($0.open.keys) } }

    /// Requests read so far, by opcode; those that never came are left out.
    var countsByOpcode: [UInt32: UInt64] {
        let counts = state.withLock { $0.counts }
        var result: [UInt32: UInt64] = [:]
        for (opcode, count) in counts.enumerated() where count > 0 { result[UInt32(opcode)] = count }
        return result
    }
}
