import Testing

@testable import OSSClient

@Suite struct EndpointTests {
    private func url(
        _ endpoint: String, _ addressing: Addressing = .automatic, key: String? = "a b/ü"
    ) throws -> String {
        let location = BucketLocation(endpoint: try Endpoint(endpoint), bucket: "photos", addressing: addressing)
        return text(location.url(key: key.map { Array($0.utf8) }, query: []))
    }

    @Test("a host means https, a URL what it says, with its port")
    func schemes() throws {
        #expect(try url("oss-cn-hangzhou.aliyuncs.com") == "https://photos.oss-cn-hangzhou.aliyuncs.com/a%20b/%C3%BC")
        #expect(try url("http://oss.example.org:81/") == "http://photos.oss.example.org:81/a%20b/%C3%BC")
        #expect(try url("HTTPS://OSS.Example.org") == "https://photos.oss.example.org/a%20b/%C3%BC")
    }

    @Test("addresses and this machine take the bucket in the path, unless told otherwise")
    func paths() throws {
        #expect(try url("http://127.0.0.1:9000") == "http://127.0.0.1:9000/photos/a%20b/%C3%BC")
        #expect(try url("http://[::1]:9000") == "http://[::1]:9000/photos/a%20b/%C3%BC")
        #expect(try url("[::1]") == "https://[::1]/photos/a%20b/%C3%BC")
        #expect(try url("localhost", key: nil) == "https://localhost/photos/")
        #expect(try url("http://localhost:9000", .virtualHost) == "http://photos.localhost:9000/a%20b/%C3%BC")
        #expect(try url("https://oss.example.org", .path) == "https://oss.example.org/photos/a%20b/%C3%BC")
    }

    @Test("a custom domain, or a host that names the bucket already, stays as it is")
    func customDomain() throws {
        #expect(try url("https://img.example.org", .customDomain) == "https://img.example.org/a%20b/%C3%BC")
        #expect(
            try url("photos.oss-cn-hangzhou.aliyuncs.com") == "https://photos.oss-cn-hangzhou.aliyuncs.com/a%20b/%C3%BC"
        )
    }

    @Test("segments that look like directories, and slashes, are sent as they are")
    func oddKeys() throws {
        let location = BucketLocation(endpoint: try Endpoint("h.example"), bucket: "photos", addressing: .automatic)
        let items = [QueryItem("list-type", "2"), QueryItem("prefix", "a/b+"), QueryItem("acl")]
        #expect(
            text(location.url(key: Array("a//./../b?#%".utf8), query: items))
                == "https://photos.h.example/a//./../b%3F%23%25?list-type=2&prefix=a%2Fb%2B&acl")
    }

    @Test(
        "the region is read off the service's own names",
        arguments: [
            ("oss-cn-hangzhou.aliyuncs.com", "cn-hangzhou"),
            ("https://oss-us-west-1-internal.aliyuncs.com", "us-west-1"),
            ("photos.oss-cn-beijing.aliyuncs.com", "cn-beijing"),
            ("cn-shenzhen.oss.aliyuncs.com", "cn-shenzhen"),
            ("photos.cn-shenzhen.oss.aliyuncs.com", "cn-shenzhen"),
            ("s3.oss-cn-hangzhou.aliyuncs.com", "cn-hangzhou"),
            ("s3.oss-cn-hangzhou-internal.aliyuncs.com", "cn-hangzhou"),
            ("site-ossalias.oss-cn-hangzhou.aliyuncs.com", "cn-hangzhou"),
            ("cb-f8z7yvzgwfkl9q0h.cn-shenzhen.oss-cloudbox.aliyuncs.com", "cb-f8z7yvzgwfkl9q0h"),
            ("cb-f8z7yvzgwfkl9q0h.cn-shenzhen.oss-cloudbox-control.aliyuncs.com", "cb-f8z7yvzgwfkl9q0h"),
        ])
    func regions(endpoint: String, region: String) throws {
        #expect(try Endpoint(endpoint).region == region)
        #expect(try OSSClientConfiguration(endpoint: endpoint, bucket: "photos").region == region)
    }

    @Test("the service's names of every kind take the bucket before them, and stay where they hold it")
    func serviceNames() throws {
        for host in [
            "oss-cn-hangzhou.aliyuncs.com", "oss-cn-hangzhou-internal.aliyuncs.com", "cn-hangzhou.oss.aliyuncs.com",
            "oss-accelerate.aliyuncs.com", "oss-accelerate-overseas.aliyuncs.com",
            "cb-1.cn-shenzhen.oss-cloudbox.aliyuncs.com",
        ] {
            #expect(try url(host, key: "k") == "https://photos.\(host)/k")
            #expect(try url("photos." + host, key: "k") == "https://photos.\(host)/k")
        }
        #expect(try url("[2001:db8::1]:8080", key: "k") == "https://[2001:db8::1]:8080/photos/k")
        #expect(try url("10.0.0.1", .customDomain, key: "k") == "https://10.0.0.1/k")
    }

    @Test("a CloudBox signs as a product of its own")
    func signingProduct() throws {
        #expect(try Endpoint("cb-1.cn-shenzhen.oss-cloudbox.aliyuncs.com").signingProduct == "oss-cloudbox")
        #expect(try Endpoint("oss-cn-shenzhen.aliyuncs.com").signingProduct == "oss")
    }

    @Test("where no region can be read version 4 must be given one, with or without oss- before it")
    func regionOption() throws {
        for endpoint in [
            "oss-accelerate.aliyuncs.com", "oss-accelerate-overseas.aliyuncs.com", "s3.oss-accelerate.aliyuncs.com",
            "127.0.0.1:9000", "img.example.org", "aliyuncs.com", "x.oss-cloudbox.aliyuncs.com",
        ] {
            #expect(throws: EndpointError.self) {
                try OSSClientConfiguration(endpoint: endpoint, bucket: "photos", signature: .v4)
            }
            #expect(try OSSClientConfiguration(endpoint: endpoint, bucket: "photos").region == nil)
        }
        let given = try OSSClientConfiguration(endpoint: "img.example.org", region: "oss-cn-hangzhou", bucket: "photos")
        #expect(given.region == "cn-hangzhou")
    }

    @Test(
        "what is no endpoint is refused",
        arguments: [
            "", "http://", "ftp://h", "h/path", "h?x", "u@h", "h:0", "h:99999", "h:x", "h:+80", "h:", "a b", "h\n",
            "[::1", ".h",
            "a..b",
        ])
    func refused(endpoint: String) {
        #expect(throws: EndpointError.self) { try Endpoint(endpoint) }
    }

    @Test("what is no bucket or region is refused", arguments: ["ab", "Photos", "a_b", "-abc", "abc-", "a.b.c", "a/b"])
    func badNames(name: String) {
        #expect(throws: EndpointError.self) {
            try OSSClientConfiguration(endpoint: "h.example", region: "r", bucket: name)
        }
        #expect(throws: EndpointError.self) {
            try OSSClientConfiguration(endpoint: "h.example", region: "a b", bucket: "photos")
        }
    }

    @Test("the words of the addressing option")
    func options() {
        #expect(
            ["auto", "virtual", "path", "cname", "x"].map { Addressing(option: $0) }
                == [.automatic, .virtualHost, .path, .customDomain, nil])
    }
}
