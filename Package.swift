// swift-tools-version:6.1
import PackageDescription

// Imports say what they expose, existentials are spelled, and a module sees only what it names: the walls of the
// house, together with --explicit-target-dependency-import-check in deploy/prepare.sh.
let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

// SwiftPM takes no package with unsafe flags as a dependency; who builds Volley into a program of theirs needs none.
let isDependency = Context.packageDirectory.contains("/checkouts/")

let strict = features + (isDependency ? [] : [.unsafeFlags(["-warnings-as-errors"])])

// Loops over pixels, and rigs in virtual time, are many times slower unoptimised; tests want them at speed as well.
let fast = strict + (isDependency ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

// Tests run once each time that they are built: to optimise them takes longer than it saves.
let quick = strict + (isDependency ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))])

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let nio: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let ssl: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")

func room(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource] = [],
    settings: [SwiftSetting] = strict
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings)
    ]
}

func program(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> [Target] {
    [.executableTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)]
}

func test(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], settings: [SwiftSetting] = quick
) -> [Target] {
    [
        .testTarget(
            name: name + "Tests", dependencies: [.target(name: name)] + dependencies, exclude: exclude,
            swiftSettings: settings)
    ]
}

// No pkg-config: the headers stand in /usr/include, and libzmq's .pc file carries flags that SwiftPM refuses.
func library(_ name: String, apt: String) -> [Target] {
    [.systemLibrary(name: name, providers: [.apt([apt])])]
}

// What volley-console serves, carried in the program.
let consolePages =
    [
        "camera.js", "capture.js", "console.css", "console.js", "fire.js", "icon.svg", "live.js", "openapi.json",
        "news.js", "parts.js", "photo.js", "previews.js",
    ].map { "Assets/\($0)" }
    + ["alarms", "camera", "capture", "captures", "fire", "foot", "head", "live", "message", "nodes", "photo"].map {
        "Pages/\($0).mustache"
    }

let package = Package(
    name: "volley",
    products: [
        // The capture core, and cameras for it: real ones behind V4L2, and simulated ones.
        .library(name: "PhotoCapture", targets: ["PhotoCapture", "V4L2Camera", "SimulatedCamera"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ],
    targets: [
        // Words and rules, no I/O.
        room("CaptureModel"),
        room("RigClock", ["CaptureModel"], settings: fast),
        room("RigProtocol", ["CaptureModel", "RigClock"], exclude: ["wire.md"]),
        room("Documents", ["CaptureModel", "RigClock", "RigProtocol"], exclude: ["documents.schema.json"]),

        // The operating system, the camera driver and the network, each knowing nothing of Volley.
        [.systemLibrary(name: "CPosix")],
        room("Posix", ["CPosix"]),
        library("CZeroMQ", apt: "libzmq3-dev"),
        room("ZeroMQ", ["CZeroMQ", "Posix", deque], settings: fast),
        library("COpenSSL", apt: "libssl-dev"),
        room("Hashing", ["COpenSSL"]),
        library("CVideo4Linux", apt: "libv4l-dev"),
        room("Video4Linux", ["CVideo4Linux", "CPosix", "Posix"]),

        // The camera.
        library("CTurboJPEG", apt: "libturbojpeg0-dev"),
        library("CTIFF", apt: "libtiff-dev"),
        library("CEXIF", apt: "libexif-dev"),
        room(
            "PhotoEncoding", ["CaptureModel", "CTurboJPEG", "CTIFF", "CEXIF", "Posix"], settings: fast),

        room("PhotoCapture", ["CaptureModel", "PhotoEncoding", "Posix"], settings: fast),
        room("SimulationKit", ["CaptureModel", "Posix", "RigClock"], settings: fast),
        room(
            "SimulatedCamera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "SimulationKit"],
            settings: fast),
        room(
            "V4L2Camera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "Video4Linux"], settings: fast),

        // A camera for uvcvideo without hardware.
        room(
            "VirtualUVCCamera",
            ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "SimulatedCamera", "SimulationKit"],
            settings: fast),

        // What must survive.
        room("DurableFiles", ["Hashing", "Posix"], settings: fast),
        room("Spool", ["CaptureModel", "DurableFiles", "Posix"], settings: fast),
        room("Library", ["CaptureModel", "DurableFiles", "Posix"], settings: fast),
        [
            .target(
                name: "Catalogue", dependencies: ["CaptureModel", grdb], resources: [.embedInCode("schema.sql")],
                swiftSettings: strict)
        ],

        // What a rig decides, without I/O.
        room("RigRules", ["CaptureModel", "RigClock", "RigProtocol", deque], settings: fast),

        // The two sides of a rig, and what lies between them.
        room(
            "RigMembership", ["CaptureModel", "Hashing", "Posix", "RigProtocol", "ZeroMQ"],
            exclude: ["boards.md", "security.md"]),
        room("RigTransport", ["CaptureModel", "Posix", "RigClock", "RigProtocol", "ZeroMQ", deque]),
        room("PhotoRetrieval", ["CaptureModel", "DurableFiles", "Posix", "RigProtocol", "RigTransport"]),
        library("CCairo", apt: "libcairo2-dev"),
        room("ContactSheet", ["CCairo", "CaptureModel", "PhotoEncoding"]),
        room("PhotoExport", ["CaptureModel", "DurableFiles", "PhotoEncoding", "Posix"], exclude: ["exporting.md"]),
        room(
            "NodeAgent",
            [
                "CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "RigClock", "RigProtocol", "RigRules",
                "Spool", log,
            ],
            settings: fast),
        room(
            "LibraryCare", ["CaptureModel", "Catalogue", "Library", "Posix", "RigProtocol", "RigRules"]),
        room(
            "OperatorDesk", ["CaptureModel", "Catalogue", "Posix", "RigProtocol", "RigRules", log]),
        room(
            "Coordinator",
            [
                "CaptureModel", "Catalogue", "Library", "LibraryCare", "OperatorDesk", "Posix", "RigProtocol",
                "RigRules", log,
            ],
            settings: fast),

        // A rig in virtual time.
        room(
            "RigSimulation",
            [
                "CaptureModel", "Catalogue", "Coordinator", "DurableFiles", "Library", "LibraryCare", "NodeAgent",
                "PhotoCapture", "Posix", "RigClock", "RigProtocol", "RigRules", "SimulatedCamera", "SimulationKit",
                "Spool",
            ], settings: fast),

        // What the programs are composed of besides.
        room("HealthChecks", ["Posix"]),
        room("RigAttention", ["CaptureModel", "RigProtocol"]),
        room(
            "OperatorAccess",
            [
                "CaptureModel", "DurableFiles", "Posix", "Programs", "RigConfiguration", "RigMembership", "RigProtocol",
                "RigTransport", "ZeroMQ", arguments,
            ]),
        library("CZlib", apt: "zlib1g-dev"),
        room(
            "OperatorConsole",
            [
                "CZlib", "CaptureModel", "Documents", "DurableFiles", "OperatorAccess", "PhotoEncoding", "PhotoExport",
                "Posix",
                "Programs", "RigClock",
                "RigAttention", "RigConfiguration", "RigProtocol", "RigTransport", hummingbird, hummingbirdCore,
                hummingbirdTLS,
                lifecycle, log, mustache, nio, signals, ssl,
            ], exclude: ["console.jpg", "console.md"], resources: consolePages.map { .embedInCode($0) }),
        room("RigConfiguration", ["CaptureModel", "Yams"]),
        room("Programs", ["CaptureModel", "Posix", arguments, log, lifecycle, signals]),
        program(
            "volley-coordinator",
            [
                "CaptureModel", "Catalogue", "Coordinator", "Documents", "HealthChecks", "Library", "LibraryCare",
                "OperatorDesk",
                "Posix",
                "Programs", "RigConfiguration", "RigMembership", "RigProtocol", "RigRules", "RigTransport", "ZeroMQ",
                arguments,
                log,
            ]),
        program(
            "volley-node",
            [
                "CaptureModel", "Documents", "DurableFiles", "HealthChecks", "NodeAgent", "PhotoCapture", "Posix",
                "Programs",
                "RigClock",
                "RigConfiguration", "RigMembership", "RigProtocol", "RigTransport", "Spool", "SimulatedCamera",
                "V4L2Camera", "Video4Linux",
                "ZeroMQ", arguments,
                log,
            ]),
        program(
            "volley-console",
            [
                "CaptureModel", "OperatorAccess", "OperatorConsole", "Programs", "RigConfiguration", "RigTransport",
                arguments, log,
            ]),
        program("volley-uvc-camera", ["CaptureModel", "Posix", "Programs", "VirtualUVCCamera", arguments]),
        program(
            "volley",
            [
                "CaptureModel", "Catalogue", "ContactSheet", "Documents", "DurableFiles", "Library", "LibraryCare",
                "OperatorAccess", "PhotoEncoding", "PhotoExport",
                "PhotoRetrieval",
                "Posix", "Programs", "RigAttention", "RigClock", "RigConfiguration", "RigMembership", "RigProtocol",
                "RigTransport",
                "ZeroMQ",
                arguments,
            ]),

        [
            .target(
                name: "TestSupport", dependencies: ["CaptureModel", "Documents"], path: "Tests/TestSupport",
                swiftSettings: quick)
        ],
        [
            .testTarget(
                name: "GuestTests",
                dependencies: ["CaptureModel", "Documents", "TestSupport", "VirtualUVCCamera", "volley"],
                exclude: ["Scripts"], swiftSettings: quick)
        ],
        [
            .testTarget(
                name: "RigTests",
                dependencies: [
                    "CaptureModel", "Catalogue", "Documents", "RigProtocol", "SimulatedCamera", "TestSupport", "volley",
                    grdb,
                ],
                swiftSettings: quick)
        ],
        test("CaptureModel"),
        test("RigClock", ["CaptureModel", "SimulatedCamera", "SimulationKit"]),
        test("RigProtocol", ["CaptureModel"]),
        test("Posix", ["CPosix", "TestSupport"]),
        test("Hashing"),
        test("ZeroMQ", ["CPosix", "Posix", "TestSupport"]),
        test("Video4Linux", ["Posix"]),
        test("PhotoEncoding", ["CaptureModel"]),
        test("ContactSheet", ["CaptureModel", "PhotoEncoding"]),
        test("PhotoExport", ["CaptureModel"], exclude: ["COLMAPModel"]),
        test("PhotoCapture", ["CaptureModel", "SimulatedCamera", "SimulationKit"], settings: fast),
        [
            .testTarget(
                name: "ConformanceTests", dependencies: ["CaptureModel", "PhotoCapture", "PhotoEncoding"],
                swiftSettings: quick)
        ],
        test(
            "Catalogue", ["CaptureModel", grdb],
            exclude: ["capture-1.json", "schema-1.sql", "schema-6.sql", "schema-14.sql", "schema-15.sql"]),
        test("HealthChecks", ["Posix"]),
        test("RigAttention", ["CaptureModel", "RigProtocol"]),
        test("OperatorConsole", ["CaptureModel", "RigProtocol", "TestSupport"]),
        test("Programs", [log, "Posix", "TestSupport"]),
        test("RigConfiguration", ["CaptureModel"]),
        test("RigRules", ["CaptureModel", "RigClock", "RigProtocol"]),
        test("Coordinator", ["CaptureModel", "Catalogue", "Library", "RigProtocol", "RigRules", log]),
        test("OperatorDesk", ["CaptureModel", "Catalogue", "RigProtocol", "RigRules", grdb, log]),
        test("LibraryCare", ["CaptureModel", "Catalogue", "DurableFiles", "Library", "Posix", grdb]),
        test("NodeAgent", ["CaptureModel", "PhotoCapture", "RigClock", "RigProtocol", "SimulatedCamera"]),
        test("RigMembership", ["CaptureModel", "Posix", "RigProtocol", "TestSupport", "ZeroMQ"]),
        test("RigTransport", ["CaptureModel", "RigProtocol", "TestSupport", "ZeroMQ"]),
        test("Spool", ["CaptureModel", "DurableFiles", "Posix", "SimulationKit"], exclude: ["Release-0.1"]),
        test("Library", ["CaptureModel", "DurableFiles", "Posix", "SimulationKit"]),
        test("V4L2Camera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "Video4Linux"]),
        test(
            "VirtualUVCCamera",
            [
                "CaptureModel", "PhotoCapture", "PhotoEncoding", "SimulatedCamera", "SimulationKit", "V4L2Camera",
                "Video4Linux",
            ], settings: strict),
        test("SimulatedCamera", ["CaptureModel", "PhotoCapture", "SimulationKit"]),
        test("volley", ["CaptureModel", "RigClock", "RigProtocol"], exclude: ["Texts"]),
        test("RigSimulation", ["CaptureModel", "Catalogue", "RigProtocol", "RigRules"]),
    ].flatMap { $0 },
    swiftLanguageModes: [.v6]
)
