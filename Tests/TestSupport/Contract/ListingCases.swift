import ObjectStore
import Runtime

extension ObjectStoreContract {
    /// One more than a page of listing, so that a second one is needed.
    private static let manyObjects = 1001

    static let listingCases: [Case] = [
        makeCase("a folded listing shows rows and prefixes once, at any page size") { bench in
            try bench.clear()
            let names = ["a", "a-b", "a.b", "a/1", "a/2", "a/b/3", "a0", "b/", "b/1", "c", "d//e", "z/y/x"]
            for name in names { try bench.put(bench.key(name), []) }
            let rows = ["a", "a-b", "a.b", "a0", "c"].map { bench.key($0) }
            let prefixes = ["a/", "b/", "d/", "z/"].map { bench.key($0) }
            for limit in [1, 2, 3, 5, 1000] {
                let request = ListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: true, limit: limit)
                let pages = try bench.pages(request)
                try bench.expectEqual(pages.flatMap(\.rows).map(\.key), rows, "rows at \(limit) a page")
                try bench.expectEqual(pages.flatMap(\.commonPrefixes), prefixes, "prefixes at \(limit) a page")
                try bench.expect(pages.count >= 9 / limit, "\(pages.count) pages at \(limit) a page")
            }
        },
        makeCase("a listing by prefix shows what starts with those bytes") { bench in
            try bench.clear()
            for name in ["ab", "abc", "abd/e", "ac", "b"] { try bench.put(bench.key(name), []) }
            let plain = try bench.list("ab")
            try bench.expectEqual(plain.rows.map(\.key), ["ab", "abc", "abd/e"].map { bench.key($0) }, "plain")
            let folded = try bench.list("ab", folds: true)
            try bench.expectEqual(folded.rows.map(\.key), ["ab", "abc"].map { bench.key($0) }, "folded rows")
            try bench.expectEqual(folded.commonPrefixes, [bench.key("abd/")], "folded prefixes")
            try bench.expectEqual(try bench.list("nothing").rows, [], "no match")
        },
        makeCase("a directory's listing shows its marker as a row and not as a prefix") { bench in
            try bench.clear()
            for name in ["d/", "d/f", "d/s/", "d/s/g"] { try bench.put(bench.key(name), []) }
            let page = try bench.list("d/", folds: true)
            try bench.expectEqual(page.rows.map(\.key), [bench.key("d/"), bench.key("d/f")], "rows")
            try bench.expectEqual(page.commonPrefixes, [bench.key("d/s/")], "prefixes")
            let one = ListRequest(prefix: bench.key("d/").bytes, foldsDirectories: true, limit: 1)
            try bench.expectEqual(try bench.store.list(one, .test).rows.map(\.key), [bench.key("d/")], "the first")
        },
        makeCase("a listing starts after a key that need not be there") { bench in
            try bench.clear()
            for name in ["a", "b", "c", "c/d"] { try bench.put(bench.key(name), []) }
            for (start, expected) in [("a", ["b", "c", "c/d"]), ("aa", ["b", "c", "c/d"]), ("c", ["c/d"]), ("z", [])] {
                let request = ListRequest(
                    prefix: Array(bench.prefix.utf8), foldsDirectories: false, startAfter: bench.key(start))
                let page = try bench.store.list(request, .test)
                try bench.expectEqual(page.rows.map(\.key), expected.map { bench.key($0) }, "after \(start)")
            }
            let skip = bench.key(Array("c/".utf8) + Array("\u{10FFFF}".utf8))
            let request = ListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: true, startAfter: skip)
            try bench.expectEqual(try bench.store.list(request, .test).commonPrefixes, [], "after all of c/")
        },
        makeCase("more than a thousand keys come in pages, each once, in byte order") { bench in
            let keys = (0..<manyObjects).map { bench.key("n\(String(10_000 + $0).dropFirst())") }
            let present = try bench.pages(ListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: false))
            if present.flatMap(\.rows).map(\.key) != keys {
                try bench.clear()
                for key in keys { try bench.put(key, []) }
            }
            for (limit, count) in [(1000, 2), (500, 3), (999, 2)] {
                let request = ListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: false, limit: limit)
                let pages = try bench.pages(request)
                try bench.expectEqual(pages.flatMap(\.rows).map(\.key), keys, "keys at \(limit) a page")
                try bench.expect(pages.filter { !$0.rows.isEmpty }.count == count, "\(pages.count) pages of \(limit)")
            }
        },
        makeCase("paging goes on where it was when keys come and go") { bench in
            try bench.clear()
            for name in ["a", "b", "c", "d"] { try bench.put(bench.key(name), []) }
            var request = ListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: false, limit: 2)
            let first = try bench.store.list(request, .test)
            try bench.expectEqual(first.rows.map(\.key), [bench.key("a"), bench.key("b")], "first page")
            try bench.store.delete(bench.key("b"), .test)
            try bench.put(bench.key("aa"), [])
            try bench.put(bench.key("cc"), [])
            request.continuation = first.next
            let second = try bench.store.list(request, .test)
            try bench.expectEqual(second.rows.map(\.key), [bench.key("c"), bench.key("cc")], "second page")
        },
    ]

    static let boundCases: [Case] = [
        makeCase("a call whose deadline has passed is unavailable, never notFound") { bench in
            let late = RequestContext(deadline: .now)
            try checkBound(bench, late, .unavailable)
        },
        makeCase("a call that is cancelled is cancelled") { bench in
            let cancellation = Cancellation()
            cancellation.cancel()
            try checkBound(
                bench, RequestContext(deadline: .after(.seconds(30)), cancellation: cancellation), .cancelled)
        },
        makeCase("a receiver that wants no more ends the get as cancelled") { bench in
            let key = bench.key("refused")
            var random = SeededGenerator(seed: 3)
            try bench.put(key, random.bytes(4 << 20))
            let receiver = CollectingReceiver(limit: 100_000)
            try bench.expectKind(.cancelled, "get") {
                _ = try bench.store.get(GetRequest(key: key), into: receiver, .test)
            }
            try bench.expectEqual(receiver.violations, [], "receiver")
            try bench.expect(receiver.bytes.count < 4 << 20, "everything was handed over")
        },
    ]

    private static func checkBound(
        _ bench: ContractBench, _ context: RequestContext, _ kind: ObjectStoreErrorKind
    ) throws {
        let (key, store) = (bench.key("bound"), bench.store)
        try bench.put(key, [1])
        let range = ListRequest(prefix: [], foldsDirectories: false)
        try bench.expectKind(kind, "probe") { try store.probe(context) }
        try bench.expectKind(kind, "list") { _ = try store.list(range, context) }
        try bench.expectKind(kind, "head") { _ = try store.head(key, context) }
        try bench.expectKind(kind, "get") {
            _ = try store.get(GetRequest(key: key), into: CollectingReceiver(), context)
        }
        try bench.expectKind(kind, "put") { _ = try store.put(PutRequest(key: key), body: BytesBody([2]), context) }
        try bench.expectKind(kind, "copy") {
            _ = try store.copy(CopyRequest(source: key, destination: bench.key("copy")), context)
        }
        try bench.expectKind(kind, "delete") { try store.delete(key, context) }
        try bench.expectEqual(try bench.get(key).1, [1], "the object afterwards")
    }
}
