/// The command line of ossmount-server.
struct ServerOptions: Equatable {
    enum Order: Equatable {
        case serve(ServerOptions)
        case help
        case version
    }

    /// What is wrong with a command line.
    struct UsageError: Error, Equatable {
        let message: String
    }

    var listen: ListenAddress
    var data: String
    var buckets: [Bytes]
    var region: String
    var certificate: String?
    var certificateKey: String?
    var limits = ServerLimits()
    var tokens = TokenOptions()
    var hasSyntheticBodies = false
    var answers = ServiceAnswers()
    var elsewhere: [Bytes: Bytes] = [:]
    var isHierarchical = false

    static let help =
        """
        Usage: ossmount-server --listen ADDRESS:PORT --data FOLDER --bucket NAME [options]

        A local server that speaks the protocol of Alibaba Cloud OSS on a folder, for trials and tests.

          --listen ADDRESS:PORT   where to listen; port 0 takes a free one. The URL is printed when ready
          --data FOLDER           where the objects are kept; made if it doesn't exist
          --bucket NAME           a bucket to serve; may be given several times
          --region NAME           the region that requests are signed for (cn-hangzhou)
          --tls-certificate FILE  PEM certificate: serves HTTPS
          --tls-key FILE          PEM key of that certificate
          --allow-remote          allow a --listen address that other machines can reach
          --part-limit N          parts that an upload may have (10000)
          --part-minimum SIZE     least size of all parts but the last, looked at on completion (100KiB)
          --part-maximum SIZE     most bytes of one part, of an object put at once, of an appended one (5GiB)
          --object-maximum SIZE   most bytes of any object (10000 parts of 5GiB)
          --key-bytes N           longest key (1023)
          --skew SECONDS          how far a request's date may be from the server's clock (900)
          --restore-delay SECONDS how long it takes to restore an archived object (0)
          --token-seconds N       longest life of the temporary keys that AssumeRole (POST /?Action=AssumeRole) and
                                  the auth server (GET /-/credentials) give out (3600)
          --auth-headers FILE     headers that the auth server demands, one `Name: value` on each line
          --auth-status FORM      its StatusCode as number or text (number)
          --auth-encoding FORM    its reply as none or base64 encodes it (none)
          --bodies KIND           stored; or synthetic: of what is longer than 1 MiB only length and checksum are kept,
                                  and reads make the bytes up, word n of 8 bytes being n * 0x9E3779B97F4A7C15
                                  (lowest byte first): what a test writes is to be that
          --hns                   buckets have a hierarchical namespace: Rename, CreateDirectory, DeleteDirectory
          --bucket-elsewhere NAME=ENDPOINT
                                  a bucket of another region, which that endpoint serves; may be given several times
          --answer NAME=VARIANT   an answer where it is not known what the real service does; one for each NAME below,
                                  where the first variant is what holds without
          --help                  show this text
          --version               show the version

        Environment: OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET are the keys that clients must sign with;
        with OSS_SESSION_TOKEN set they must send that token too.

        Answers:

        """ + AnswerQuestion.help

    /// Reads the arguments after the program's name; each value follows its option or stands after `=`.
    static func parse(_ arguments: [String]) throws(UsageError) -> Order {
        var values: [String: [String]] = [:]
        var flags: Set<String> = []
        var index = 0
        while index < arguments.count {
            var name = arguments[index]
            var value: String?
            if let mark = name.firstIndex(of: "="), name.hasPrefix("--") {
                value = String(name[name.index(after: mark)...])
                name = String(name[..<mark])
            }
            index += 1
            switch name {
            case "--help", "-h": return .help
            case "--version": return .version
            case "--allow-remote" where value == nil, "--hns" where value == nil: flags.insert(name)
            case _ where takesValue(name):
                if value == nil, index < arguments.count {
                    value = arguments[index]
                    index += 1
                }
                guard let value, !value.isEmpty else { throw UsageError(message: "\(name) needs a value") }
                values[name, default: []].append(value)
            default: throw UsageError(message: "unknown argument \(name)")
            }
        }
        return .serve(try ServerOptions(values, flags))
    }

    private static let repeatable = ["--bucket", "--answer", "--bucket-elsewhere"]

    private static func takesValue(_ name: String) -> Bool {
        let names =
            ["--listen", "--data", "--bucket", "--region", "--tls-certificate", "--tls-key", "--bodies"] + repeatable
        return names.contains(name) || LimitOptions.knows(name) || TokenOptions.names.contains(name)
    }

    private init(_ values: [String: [String]], _ flags: Set<String>) throws(UsageError) {
        for (name, given) in values where given.count > 1 && !Self.repeatable.contains(name) {
            throw UsageError(message: "\(name) is given more than once")
        }
        func required(_ name: String) throws(UsageError) -> String {
            guard let value = values[name]?.first else { throw UsageError(message: "\(name) is missing") }
            return value
        }
        let address = try required("--listen")
        guard let listen = ListenAddress(address) else {
            throw UsageError(message: "--listen takes a numeric address and a port, such as 127.0.0.1:9000")
        }
        guard listen.isLoopback || flags.contains("--allow-remote") else {
            throw UsageError(message: "\(address) can be reached from outside; say --allow-remote if that is meant")
        }
        self.listen = listen
        data = try required("--data")
        _ = try required("--bucket")
        buckets = (values["--bucket"] ?? []).map { Bytes($0.utf8) }
        for bucket in buckets where !Self.isBucketName(bucket) {
            throw UsageError(message: "a bucket's name has 3 to 63 of a-z, 0-9 and -, with no - at its ends")
        }
        region = values["--region"]?.first ?? "cn-hangzhou"
        if region.hasPrefix("oss-") { region = String(region.dropFirst(4)) }
        certificate = values["--tls-certificate"]?.first
        certificateKey = values["--tls-key"]?.first
        limits = try LimitOptions.limits(values)
        tokens = try TokenOptions(values)
        let bodies = values["--bodies"]?.first ?? "stored"
        guard bodies == "stored" || bodies == "synthetic" else {
            throw UsageError(message: "--bodies takes stored or synthetic")
        }
        hasSyntheticBodies = bodies == "synthetic"
        isHierarchical = flags.contains("--hns")
        answers = try AnswerQuestion.answers(values["--answer"] ?? [])
        elsewhere = try Self.elsewhere(values["--bucket-elsewhere"] ?? [])
        guard (certificate == nil) == (certificateKey == nil) else {
            throw UsageError(message: "--tls-certificate and --tls-key go together")
        }
    }

    private static func elsewhere(_ items: [String]) throws(UsageError) -> [Bytes: Bytes] {
        var buckets: [Bytes: Bytes] = [:]
        for item in items {
            let pair = item.utf8.split(separator: 0x3D, maxSplits: 1)
            guard pair.count == 2, isBucketName(Bytes(pair[0])) else {
                throw UsageError(message: "--bucket-elsewhere takes a bucket and an endpoint, with = between")
            }
            buckets[Bytes(pair[0])] = Bytes(pair[1])
        }
        return buckets
    }

    static func isBucketName(_ name: Bytes) -> Bool {
        (3...63).contains(name.count) && name.first != 0x2D && name.last != 0x2D
            && name.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D }
    }
}
