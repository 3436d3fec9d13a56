/// Exchanges in line for a connection, first come first served; those that ended in line are passed over.
struct WaitingLine {
    private var items: [Exchange] = []
    private var head = 0
    private var goneCount = 0

    /// Those that still wait.
    var exchanges: [Exchange] { items[head...].filter { $0.phase == .waiting } }

    mutating func append(_ exchange: Exchange) { items.append(exchange) }

    mutating func takeFirst() -> Exchange? {
        while head < items.count {
            let exchange = items[head]
            head += 1
            if exchange.phase == .waiting {
                if head > 256, head > items.count / 2 { compact() }
                return exchange
            }
        }
        items.removeAll(keepingCapacity: true)
        head = 0
        goneCount = 0
        return nil
    }

    /// Notes that one in line ends without its turn, so that a long line of such doesn't keep its memory.
    mutating func noteGone() {
        goneCount += 1
        if goneCount > 256, goneCount > items.count / 2 { compact() }
    }

    mutating func removeAll() -> [Exchange] {
        defer { items = [] }
        defer { head = 0 }
        return exchanges
    }

    private mutating func compact() {
        items = exchanges
        head = 0
        goneCount = 0
    }
}
