import ObjectStore

extension ObjectStoreContract {
    /// Names that break programs, each as bytes of UTF-8 that are legal in a key and in a file's name.
    package static let oddNames: [(what: String, bytes: [UInt8])] = [
        ("NFC", Array("caf\u{E9}.jpg".utf8)),
        ("NFD", Array("cafe\u{301}.jpg".utf8)),
        ("a combining mark first", Array("\u{301}b".utf8)),
        ("CR LF", Array("line\r\nfeed".utf8)),
        ("LF alone", Array("line\nfeed".utf8)),
        ("CR alone", Array("line\rfeed".utf8)),
        ("TAB", Array("tab\tstop".utf8)),
        ("leading blanks", Array("  leading".utf8)),
        ("trailing blanks", Array("trailing  ".utf8)),
        ("a blank alone", Array(" ".utf8)),
        ("plus", Array("a+b".utf8)),
        ("percent", Array("100%".utf8)),
        ("an escape", Array("a%2Fb%20c%41".utf8)),
        ("hash", Array("a#b".utf8)),
        ("question mark", Array("a?b=c".utf8)),
        ("ampersand", Array("a&amp;b&c".utf8)),
        ("tilde", Array("~backup~".utf8)),
        ("quotes", Array("it's \"quoted\"".utf8)),
        ("brackets", Array("<a>[b]{c}(d)".utf8)),
        ("stars and more", Array("*!$;:@=,|^`".utf8)),
        ("backslash", Array("a\\b".utf8)),
        ("Chinese", Array("\u{56FE}\u{7247} \u{4E2D}\u{6587}.png".utf8)),
        ("beyond the basic plane", Array("\u{1F4F7}\u{10FFFF}".utf8)),
        ("dots", Array("...".utf8)),
        ("a dot file", Array(".hidden".utf8)),
        ("hyphen first", Array("-rf".utf8)),
        ("255 bytes", Array("\u{957F}".utf8) * 85),
        ("255 letters", [UInt8](repeating: UInt8(ascii: "n"), count: 255)),
    ]

    /// Control bytes, which XML can't carry: such keys come through a listing only where it is percent-encoded.
    package static let controlNames: [(what: String, bytes: [UInt8])] = [
        ("0x01", [0x61, 0x01, 0x62]), ("0x0B", [0x61, 0x0B]), ("0x1F", [0x1F, 0x61]), ("0x7F", [0x61, 0x7F, 0x62]),
        ("0x1B", Array("\u{1B}[31m".utf8)),
    ]

    static let keyCases: [Case] =
        (oddNames + controlNames).map { odd in
            makeCase("a key with \(odd.what) comes back byte for byte") { bench in
                try bench.clear()
                try checkOddKey(odd.bytes, bench)
            }
        } + [
            makeCase("NFC and NFD of one name are two objects") { bench in
                let composed = bench.key("caf\u{E9}")
                let decomposed = bench.key("cafe\u{301}")
                try bench.put(composed, [1])
                try bench.expectKind(.notFound, "head of NFD") { _ = try bench.store.head(decomposed, .test) }
                try bench.put(decomposed, [2])
                try bench.expectEqual(try bench.get(composed).1, [1], "NFC")
                try bench.expectEqual(try bench.get(decomposed).1, [2], "NFD")
                try bench.expectEqual(try bench.list().rows.map(\.key), [decomposed, composed], "byte order")
            },
            makeCase("all odd names side by side are listed in byte order") { bench in
                try bench.clear()
                let keys = (oddNames + controlNames).map { bench.key($0.bytes) }.sorted()
                for key in keys { try bench.put(key, key.bytes) }
                for limit in [1, 3, 1000] {
                    let request = ListRequest(
                        prefix: Array(bench.prefix.utf8), foldsDirectories: true, limit: limit)
                    let rows = try bench.pages(request).flatMap(\.rows)
                    try bench.expectEqual(rows.map(\.key), keys, "keys at \(limit) a page")
                }
            },
            makeCase("keys that are no paths are kept as they are") { bench in
                let names = ["a//b", "./c", "../d", "e/", "f/./g", "f/../h", "//"]
                let keys = names.map { bench.key($0) }.sorted()
                for key in keys { try bench.put(key, key.bytes) }
                for key in keys { try bench.expectBytes(try bench.get(key).1, key.bytes, "body") }
                try bench.expectEqual(try bench.list().rows.map(\.key), keys, "listed keys")
                for key in keys { try bench.store.delete(key, .test) }
                try bench.expectEqual(try bench.list().rows, [], "after the deletes")
            },
            makeCase("the longest key works and one byte more is refused") { bench in
                let room = bench.store.capabilities.maximumKeyBytes - bench.prefix.utf8.count
                let key = bench.key([UInt8](repeating: UInt8(ascii: "k"), count: room))
                try bench.put(key, [1])
                try bench.expectEqual(try bench.get(key).1, [1], "body")
                let long = ObjectKey(key.bytes + [UInt8(ascii: "k")])
                let kind = try bench.kind { _ = try bench.put(long, [1]) }
                try bench.expect(kind == .invalidRequest || kind == .tooLarge, "too long a key is \(kind)")
                try bench.store.delete(key, .test)
            },
        ]

    /// One key through every call: put, head, get, list, list by its own prefix, copy from and to, delete.
    private static func checkOddKey(_ name: [UInt8], _ bench: ContractBench) throws {
        let key = bench.key(name)
        let nested = bench.key(name + Array("/".utf8) + name)
        try bench.put(key, name)
        try bench.put(nested, [7])
        try bench.expectEqual(try bench.store.head(key, .test).size, Int64(name.count), "size")
        try bench.expectBytes(try bench.get(key).1, name, "body")
        try bench.expectEqual(try bench.list().rows.map(\.key).sorted(), [key, nested].sorted(), "listed keys")
        let folded = try bench.list(folds: true)
        try bench.expectEqual(folded.rows.map(\.key), [key], "folded listing's keys")
        try bench.expectEqual(
            folded.commonPrefixes, [ObjectKey(key.bytes + Array("/".utf8))], "folded listing's prefixes")
        let own = ListRequest(prefix: key.bytes + Array("/".utf8), foldsDirectories: true)
        try bench.expectEqual(try bench.store.list(own, .test).rows.map(\.key), [nested], "listing by its prefix")
        let after = ListRequest(prefix: Array(bench.prefix.utf8), foldsDirectories: false, startAfter: key)
        try bench.expectEqual(try bench.store.list(after, .test).rows.map(\.key), [nested], "listing after it")
        let copy = bench.key(Array("zz".utf8) + name.prefix(200).prefix { $0 < 0x80 })
        _ = try bench.store.copy(CopyRequest(source: key, destination: copy), .test)
        try bench.expectBytes(try bench.get(copy).1, name, "body of the copy")
        try bench.store.delete(key, .test)
        try bench.expectKind(.notFound, "head after the delete") { _ = try bench.store.head(key, .test) }
        _ = try bench.store.copy(CopyRequest(source: copy, destination: key), .test)
        try bench.expectBytes(try bench.get(key).1, name, "body of the copy back")
        for gone in [key, nested, copy] { try bench.store.delete(gone, .test) }
    }
}

private func * (bytes: [UInt8], times: Int) -> [UInt8] { Array(repeatElement(bytes, count: times).joined()) }
