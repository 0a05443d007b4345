// swift-tools-version:6.1
import PackageDescription

// The house's own rooms, built here with optimisation and under one package name, so that what is measured is what is
// shipped and the rooms need no public doors. House is a link to Sources.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .unsafeFlags(["-warnings-as-errors"]),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "House/\(name)", swiftSettings: strict)
}

func library(_ name: String) -> Target {
    .systemLibrary(name: name, path: "House/\(name)")
}

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
    ],
    targets: [
        library("CPosix"), library("CTurboJPEG"), library("CTIFF"), library("CEXIF"), library("CVideo4Linux"),
        library("CZeroMQ"),
        room("CaptureModel"),
        room("Posix", ["CPosix"]),
        room("PhotoEncoding", ["CaptureModel", "CTurboJPEG", "CTIFF", "CEXIF", "CPosix", "Posix"]),
        room("PhotoCapture", ["CaptureModel", "PhotoEncoding", "Posix"]),
        room("RigClock", ["CaptureModel"]),
        room("SimulationKit", ["CaptureModel", "Posix", "RigClock"]),
        room("SimulatedCamera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "SimulationKit"]),
        room("RigProtocol", ["CaptureModel", "RigClock"]),
        room("ZeroMQ", ["CZeroMQ", "Posix", deque]),
        room("RigTransport", ["CaptureModel", "Posix", "RigClock", "RigProtocol", "ZeroMQ"]),
        library("COpenSSL"),
        room("Hashing", ["COpenSSL"]),
        room("DurableFiles", ["Hashing", "Posix"]),
        room("PhotoRetrieval", ["CaptureModel", "DurableFiles", "Posix", "RigProtocol", "RigTransport"]),
        room("PhotoExport", ["CaptureModel", "DurableFiles", "PhotoEncoding", "Posix"]),
        room("Spool", ["CaptureModel", "DurableFiles", "Posix"]),
        room("Library", ["CaptureModel", "DurableFiles", "Posix"]),
        .target(
            name: "Catalogue", dependencies: ["CaptureModel", grdb], path: "House/Catalogue",
            resources: [.embedInCode("schema.sql")], swiftSettings: strict),
        room("RigRules", ["CaptureModel", "RigClock", "RigProtocol", deque]),
        room(
            "NodeAgent",
            ["CaptureModel", "PhotoCapture", "Posix", "RigClock", "RigProtocol", "RigRules", "Spool", log]),
        room(
            "LibraryCare", ["CaptureModel", "Catalogue", "DurableFiles", "Library", "Posix", "RigProtocol", "RigRules"]),
        room(
            "Coordinator",
            [
                "CaptureModel", "Catalogue", "Library", "LibraryCare", "OperatorDesk", "Posix", "RigProtocol",
                "RigRules", log,
            ]),
        room("OperatorDesk", ["CaptureModel", "Catalogue", "Posix", "RigProtocol", "RigRules", log]),
        room(
            "RigSimulation",
            [
                "CaptureModel", "Catalogue", "Coordinator", "DurableFiles", "Library", "LibraryCare", "NodeAgent",
                "PhotoCapture", "Posix", "RigClock", "RigProtocol", "RigRules", "SimulatedCamera", "SimulationKit",
                "Spool",
            ]),
        room("Video4Linux", ["CVideo4Linux", "CPosix", "Posix"]),
        room("V4L2Camera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "Video4Linux"]),
        .target(name: "CRawCatalogue", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CaptureModel", "Catalogue", "Coordinator", "CRawCatalogue", "CTurboJPEG", "CZeroMQ", "NodeAgent",
                "DurableFiles", "Library", "LibraryCare", "PhotoCapture", "PhotoEncoding", "PhotoExport",
                "PhotoRetrieval", "Posix",
                "RigClock", "RigProtocol", "RigRules", "RigSimulation", "RigTransport", "SimulatedCamera",
                "SimulationKit", "Spool", "V4L2Camera",
                "Video4Linux", "ZeroMQ", log, grdb,
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
