import ObjectStore

extension ObjectStoreContract {
    static let linkCases: [Case] = [
        makeCase("a link tells where it leads, byte for byte") { bench in
            guard try bench.has(.links, { try bench.putLink("l", to: bench.key("x")) }) else { return }
            for (number, name) in (oddNames + controlNames).enumerated() {
                let target = bench.key(name.bytes)
                try bench.putLink("link/\(number)", to: target)
                try bench.expectEqual(try bench.link("link/\(number)").target, target, name.what)
                try bench.putLink(name.bytes, to: bench.key("target"))
                try bench.expectEqual(
                    try bench.store.link(bench.key(name.bytes), .test).target, bench.key("target"), "at \(name.what)")
            }
        },
        makeCase("reads follow a link, and what is its own stays its own") { bench in
            guard bench.store.capabilities.features.contains(.links) else { return }
            let (link, target) = (bench.key("link"), bench.key("target"))
            let written = try bench.put(target, Array("data".utf8), metadata: ObjectMetadata(user: ["a": [0x74]]))
            try bench.putLink("link", to: target, metadata: ObjectMetadata(user: ["a": [0x6C]]))
            let (info, body) = try bench.get(link)
            try bench.expectEqual(body, Array("data".utf8), "body")
            try bench.expectEqual(try bench.get(link, range: 1..<3).1, Array("at".utf8), "a range")
            for info in [info, try bench.store.head(link, .test)] {
                try bench.expectEqual(info.type, .symlink, "type")
                try bench.expectEqual(info.size, 4, "size")
                try bench.expectEqual(info.etag, written.etag, "ETag")
                try bench.expectEqual(info.metadata.user, ["a": [0x6C]], "metadata")
            }
            try bench.expectEqual(try bench.link("link").user, ["a": [0x6C]], "metadata by the link itself")
            let row = try bench.list("link").rows.first
            try bench.expectEqual(row?.type, .symlink, "listed type")
            try bench.expectEqual(row?.size, Int64(target.bytes.count), "listed size")
        },
        makeCase("the light form describes what stands under the key") { bench in
            let (link, target) = (bench.key("link"), bench.key("target"))
            let written = try bench.put(target, Array("four".utf8), metadata: ObjectMetadata(user: ["a": [65]]))
            let light = try bench.store.meta(target, .test)
            try bench.expectEqual(light.size, 4, "size")
            try bench.expectEqual(light.etag, written.etag, "ETag")
            try bench.expectEqual(light.metadata.user, [:], "metadata")
            try bench.expectEqual(light.type, .other, "type")
            try bench.expectKind(.notFound, "absent") { _ = try bench.store.meta(bench.key("absent"), .test) }
            guard bench.store.capabilities.features.contains(.links) else { return }
            try bench.putLink("link", to: target)
            let own = try bench.store.meta(link, .test)
            try bench.expectEqual(own.type, .symlink, "type of a link")
            try bench.expectEqual(own.size, Int64(target.bytes.count), "size of a link")
        },
        makeCase("a link to nothing is notFound, and one to a link is refused") { bench in
            guard bench.store.capabilities.features.contains(.links) else { return }
            try bench.putLink("first", to: bench.key("nothing"))
            try bench.expectKind(.notFound, "head") { _ = try bench.store.head(bench.key("first"), .test) }
            try bench.expectKind(.notFound, "get") { _ = try bench.get(bench.key("first")) }
            try bench.putLink("second", to: bench.key("first"))
            try bench.expectKind(.invalidRequest, "a link to a link") { _ = try bench.get(bench.key("second")) }
        },
        makeCase("what is no link is told apart from what isn't there") { bench in
            guard bench.store.capabilities.features.contains(.links) else { return }
            try bench.put(bench.key("object"), [1])
            try bench.expectKind(.invalidRequest, "an object") { _ = try bench.link("object") }
            try bench.expectKind(.notFound, "nothing") { _ = try bench.link("nothing") }
            try bench.expectKind(.invalidRequest, "a target that is no key") {
                try bench.putLink("link", to: ObjectKey(text: "/absolute"))
            }
        },
        makeCase("a link replaces only where it may, is copied as a link, and goes alone") { bench in
            guard bench.store.capabilities.features.contains(.links) else { return }
            let (link, target, copy) = (bench.key("link"), bench.key("target"), bench.key("copy"))
            try bench.put(target, [1])
            try bench.putLink("link", to: target)
            if bench.store.capabilities.hasExclusiveCreate {
                try bench.expectKind(.alreadyExists, "link over link") {
                    let request = LinkRequest(key: link, target: bench.key("other"), forbidOverwrite: true)
                    try bench.store.putLink(request, .test)
                }
            }
            _ = try bench.store.copy(CopyRequest(source: link, destination: copy), .test)
            try bench.expectEqual(try bench.link("copy").target, target, "the copy's target")
            try bench.store.delete(link, .test)
            try bench.expectEqual(try bench.get(target).1, [1], "the target")
        },
    ]
}

extension ContractBench {
    func putLink(_ name: String, to target: ObjectKey, metadata: ObjectMetadata = ObjectMetadata()) throws {
        try store.putLink(LinkRequest(key: key(name), target: target, metadata: metadata), .test)
    }

    func putLink(_ name: [UInt8], to target: ObjectKey) throws {
        try store.putLink(LinkRequest(key: key(name), target: target), .test)
    }

    func link(_ name: String) throws -> LinkInfo { try store.link(key(name), .test) }
}
