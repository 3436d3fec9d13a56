import ObjectStore
import Runtime

/// What every object store must do, as cases that a test runs over each of them.
///
/// A case keeps to keys under a prefix of its own, so that all may run over one bucket, in any order, more than once.
package enum ObjectStoreContract {
    /// One requirement.
    package struct Case: Sendable, CustomStringConvertible {
        package let name: String
        package var description: String { name }
        let body: @Sendable (ContractBench) throws -> Void

        /// Checks the requirement; throws `TestFailure` where it isn't met.
        package func check(_ store: any ObjectStore) throws {
            try body(ContractBench(store: store, prefix: "contract/\(name.replacing(" ", with: "-"))/"))
        }
    }

    /// All cases, those that need capabilities which a store lacks included: they check that it says so.
    package static let cases: [Case] =
        objectCases + keyCases + rangeCases + conditionCases + copyCases + listingCases + boundCases + uploadCases
        + setCases + appendCases + linkCases + annotationCases

    /// Those about uploads in parts and properties, which may also be run over a store with limits of its own.
    package static let uploadCases: [Case] =
        completionCases + partCases + partCopyCases + uploadListingCases + propertyCases

    static func makeCase(_ name: String, _ body: @escaping @Sendable (ContractBench) throws -> Void) -> Case {
        Case(name: name, body: body)
    }
}

/// A store under test and the prefix of one case, with the calls that cases make.
struct ContractBench: Sendable {
    let store: any ObjectStore
    let prefix: String

    func key(_ name: String) -> ObjectKey { key(Array(name.utf8)) }
    func key(_ name: [UInt8]) -> ObjectKey { ObjectKey(Array(prefix.utf8) + name) }

    @discardableResult
    func put(
        _ key: ObjectKey, _ bytes: [UInt8], metadata: ObjectMetadata = ObjectMetadata(), forbidOverwrite: Bool = false
    ) throws -> WriteResult {
        let request = PutRequest(key: key, metadata: metadata, forbidOverwrite: forbidOverwrite)
        return try store.put(request, body: BytesBody(bytes), .test)
    }

    /// Gets, and checks that the receiver was called by the rules and what it got is what was asked for.
    func get(_ key: ObjectKey, range: ByteRange? = nil, ifMatch: ETag? = nil) throws -> (ObjectInfo, [UInt8]) {
        let receiver = CollectingReceiver()
        let request = GetRequest(key: key, range: range, ifMatch: ifMatch)
        let info = try store.get(request, into: receiver, .test)
        try expect(receiver.violations.isEmpty, "receiver: \(receiver.violations)")
        guard let begun = receiver.info else { throw TestFailure("the receiver never had the headers") }
        try expectEqual(begun.size, info.size, "size at begin and at the end")
        try expectEqual(begun.etag, info.etag, "ETag at begin and at the end")
        if let offset = receiver.firstOffset {
            try expectEqual(offset, range?.lowerBound ?? 0, "offset of the first bytes")
        }
        return (info, receiver.bytes)
    }

    func list(_ sub: String = "", folds: Bool = false, limit: Int = 1000) throws -> ListPage {
        let request = ListRequest(prefix: Array((prefix + sub).utf8), foldsDirectories: folds, limit: limit)
        return try store.list(request, .test)
    }

    /// All pages; throws where paging doesn't end or a page is larger than asked.
    func pages(_ first: ListRequest) throws -> [ListPage] {
        var pages: [ListPage] = []
        var request = first
        while pages.count < 10_000 {
            let page = try store.list(request, .test)
            try expect(page.rows.count + page.commonPrefixes.count <= request.limit, "a page is larger than its limit")
            pages.append(page)
            guard let next = page.next else { return pages }
            request.continuation = next
        }
        throw TestFailure("paging does not end")
    }

    /// Removes what an earlier run left under the case's prefix.
    func clear() throws {
        for page in try pages(ListRequest(prefix: Array(prefix.utf8), foldsDirectories: false)) {
            for row in page.rows { try store.delete(row.key, .test) }
        }
    }

    /// The kind with which `body` fails.
    func kind(_ body: () throws -> Void) throws -> ObjectStoreErrorKind {
        do {
            try body()
        } catch let error as ObjectStoreError {
            return error.kind
        }
        throw TestFailure("the call succeeded")
    }

    func expectKind(_ expected: ObjectStoreErrorKind, _ what: String, _ body: () throws -> Void) throws {
        let kind: ObjectStoreErrorKind
        do { kind = try self.kind(body) } catch let error as TestFailure {
            throw TestFailure("\(what): \(error) instead of \(expected)")
        }
        try expectEqual(kind, expected, what)
    }

    func expect(_ isMet: Bool, _ what: @autoclosure () -> String) throws {
        if !isMet { throw TestFailure(what()) }
    }

    func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        if value != expected { throw TestFailure("\(what): \(value) instead of \(expected)") }
    }

    /// Compares bytes and tells lengths and the first difference, not all of them.
    func expectBytes(_ bytes: [UInt8], _ expected: some Collection<UInt8>, _ what: String) throws {
        guard !bytes.elementsEqual(expected) else { return }
        let difference = zip(bytes, expected).enumerated().first { $1.0 != $1.1 }?.offset
        throw TestFailure(
            "\(what): \(bytes.count) bytes instead of \(expected.count), first difference at \(difference ?? -1)")
    }

    /// The CRC-64/XZ bit by bit from the polynomial: slow, and independent of the one under test.
    static func slowCRC64(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var crc = UInt64.max
        for byte in bytes {
            crc ^= UInt64(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xC96C_5795_D787_0F42 : crc >> 1 }
        }
        return ~crc
    }
}
