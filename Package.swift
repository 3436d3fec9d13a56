// swift-tools-version: 6.2
import PackageDescription

// The modules and the arrows between them; `scripts/check-layers.sh` compares each file's imports with this
// table, as the package manager itself lets an undeclared import through. Leaf modules stand first.

/// Warnings are errors everywhere, so that nothing is left to get used to.
let swiftSettings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
let cSettings: [CSetting] = [.treatAllWarnings(as: .error)]

func swiftModule(_ name: String, _ dependencies: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: swiftSettings)
}

func cModule(_ name: String, _ dependencies: [String] = [], links: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, cSettings: cSettings,
        linkerSettings: links.map { .linkedLibrary($0) })
}

func program(_ name: String, _ dependencies: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [String], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, resources: resources,
        swiftSettings: swiftSettings)
}

/// What tests share: a plain module, as test targets can't depend on each other.
func testSupport(_ name: String, _ dependencies: [String]) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, path: "Tests/\(name)",
        swiftSettings: swiftSettings)
}

/// A program in C that tests start.
func testProgram(_ name: String) -> Target {
    .executableTarget(name: name, path: "Tests/\(name)", cSettings: cSettings + [.define("_GNU_SOURCE")])
}

let foundations = ["Runtime", "Instrumentation"]

/// Each folder of Tests/Fuzz: one kind of input. `Entry.swift` is what libFuzzer calls; the rest is also the test target
/// `Fuzz`, which runs the corpus.
let fuzzed: [(folder: String, dependencies: [String])] = [
    ("XMLReplies", foundations + ["OSSClient", "HTTPTransport", "Encoding", "ObjectStore"]),
    ("Headers", foundations + ["OSSClient", "HTTPTransport", "Encoding"]),
    ("JSONReplies", foundations + ["Credentials", "Encoding"]),
    ("Files", ["MountCommand", "Credentials", "HTTPTransport"]),
    ("Options", ["MountCommand", "OSSClient"]),
    (
        "ServerRequests",
        foundations + ["ObjectServer", "CObjectServer", "OSSClient", "Credentials", "HTTPTransport", "Encoding"]
    ),
]

/// With OSSMOUNT_FUZZ, as scripts/fuzz.sh sets it, the programs for libFuzzer; else the test of the corpus.
func fuzzing() -> [Target] {
    guard Context.environment["OSSMOUNT_FUZZ"] == nil else {
        return fuzzed.map { target in
            .executableTarget(
                name: "fuzz-\(target.folder)",
                dependencies: (target.dependencies + ["FuzzSupport"]).map { .init(stringLiteral: $0) },
                path: "Tests/Fuzz/\(target.folder)", swiftSettings: swiftSettings)
        }
    }
    let dependencies = Set(fuzzed.flatMap(\.dependencies) + ["FuzzSupport"]).sorted()
    return [
        .testTarget(
            name: "Fuzz", dependencies: dependencies.map { .init(stringLiteral: $0) },
            exclude: fuzzed.map { "\($0.folder)/Entry.swift" } + ["Dictionaries"], resources: [.copy("Corpus")],
            swiftSettings: swiftSettings)
    ]
}

let package = Package(
    name: "ossmount",
    products: [
        .executable(name: "ossmount", targets: ["ossmount"]),
        .executable(name: "ossmount-server", targets: ["ossmount-server"]),
    ],
    targets: [
        // C libraries and the shims for what Swift cannot import: variadic functions, macros, bit fields.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        cModule("CXML2", ["CLibXML2"]),
        cModule("CCurl", links: ["curl"]),
        cModule("CFuse", links: ["fuse3"]),
        cModule("CMicroHTTPD", links: ["microhttpd"]),
        cModule("CObjectServer"),
        cModule("CChecksums"),
        cModule("CRuntime"),

        // Any module may import these two.
        swiftModule("Runtime", ["CRuntime"]),
        swiftModule("Instrumentation", ["CRuntime", "Runtime"]),

        // The mount, from the bottom up.
        swiftModule("ObjectStore", foundations),
        swiftModule("Checksums", foundations + ["CChecksums", "COpenSSL"]),
        swiftModule("Encoding", foundations + ["CXML2", "COpenSSL"]),
        swiftModule("HTTPTransport", foundations + ["CCurl"]),
        swiftModule("Credentials", foundations + ["HTTPTransport", "Encoding", "Checksums"]),
        swiftModule(
            "OSSClient", foundations + ["Credentials", "HTTPTransport", "Encoding", "Checksums", "ObjectStore"]),
        swiftModule("LocalStore", foundations + ["Checksums"]),
        swiftModule("Transfer", foundations + ["CRuntime", "LocalStore", "Checksums", "ObjectStore"]),
        swiftModule("FileSystemCore", foundations + ["LocalStore", "Transfer", "ObjectStore"]),
        swiftModule("FuseBridge", foundations + ["FileSystemCore", "ObjectStore", "CFuse"]),
        swiftModule(
            "MountCommand",
            foundations + [
                "CRuntime", "FuseBridge", "FileSystemCore", "LocalStore", "Transfer", "OSSClient", "Credentials",
                "HTTPTransport", "ObjectStore",
            ]),
        program("ossmount", ["MountCommand"]),

        // The embedded server shares no code with the client: what signs and parses stands twice on purpose.
        swiftModule("ObjectServer", foundations + ["CMicroHTTPD", "CObjectServer", "COpenSSL", "CSQLite"]),
        program("ossmount-server", ["ObjectServer"]),

        tests("RuntimeTests", ["Runtime"]),
        tests("InstrumentationTests", foundations),
        tests("FuseBridgeTests", foundations + ["FuseBridge", "FileSystemCore", "Transfer", "ObjectStore", "CFuse"]),
        tests("HTTPTransportTests", ["HTTPTransport", "Runtime"]),
        tests(
            "ChecksumsTests", foundations + ["Checksums", "CChecksums"], resources: [.copy("Vectors")]),
        tests("MountCommandTests", foundations + ["MountCommand", "FuseBridge", "ObjectStore", "TestSupport"]),
        tests(
            "ObjectServerTests", foundations + ["ObjectServer", "CObjectServer"], resources: [.copy("Vectors")]),
        tests("EncodingTests", foundations + ["Encoding"]),
        tests("CredentialsTests", foundations + ["Credentials", "HTTPTransport"]),
        tests(
            "OSSClientTests",
            foundations + [
                "OSSClient", "Credentials", "Encoding", "HTTPTransport", "ObjectStore", "Checksums", "TestSupport",
            ],
            resources: [.copy("Vectors")]),
        testSupport("TestSupport", foundations + ["ObjectStore", "Checksums"]),
        tests(
            "ObjectStoreContractTests",
            foundations + ["Credentials", "Encoding", "HTTPTransport", "OSSClient", "ObjectStore", "TestSupport"]),
        tests("LocalStoreTests", foundations + ["LocalStore", "TestSupport"]),
        tests("TransferTests", foundations + ["Checksums", "LocalStore", "Transfer", "ObjectStore", "TestSupport"]),
        tests(
            "FileSystemCoreTests",
            foundations + ["FileSystemCore", "LocalStore", "Transfer", "ObjectStore", "TestSupport"]),
        // From the server's answer to the errno: through all that lies between.
        tests(
            "ErrorTests",
            foundations + ["OSSClient", "FileSystemCore", "HTTPTransport", "ObjectStore"],
            resources: [.copy("Tables")]),
        tests("MountTests", foundations + ["TestSupport"]),
        // Programs that do the tests' work in a mount, where no process that tests depend on may wait.
        testProgram("ModelDriver"),
        testProgram("PatternTool"),
        // The client of OSS behind a pipe, for the clients of Tests/Interop.
        .executableTarget(
            name: "oss-call",
            dependencies: [
                "Credentials", "Encoding", "HTTPTransport", "Instrumentation", "OSSClient", "ObjectStore", "Runtime",
                "TestSupport",
            ], path: "Tests/oss-call", swiftSettings: swiftSettings),
        tests("ModelTests", ["Runtime", "TestSupport"]),
        tests("ApplicationTests", ["TestSupport"]),
        testSupport("FuzzSupport", []),
    ] + fuzzing()
)
