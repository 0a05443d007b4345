// swift-tools-version:6.1
import PackageDescription

// What reads bytes from elsewhere, for libFuzzer: `deploy/fuzz`. House is a link to Sources.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .unsafeFlags(["-warnings-as-errors"]),
]

let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "House/\(name)", swiftSettings: strict)
}

func library(_ name: String) -> Target {
    .systemLibrary(name: name, path: "House/\(name)")
}

let package = Package(
    name: "fuzzing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        library("CPosix"), library("CTurboJPEG"), library("CTIFF"), library("CEXIF"), library("CVideo4Linux"),
        library("CZeroMQ"),
        room("CaptureModel"),
        room("Posix", ["CPosix"]),
        room("PhotoEncoding", ["CaptureModel", "CTurboJPEG", "CTIFF", "CEXIF", "CPosix", "Posix"]),
        room("RigClock", ["CaptureModel"]),
        room("RigProtocol", ["CaptureModel", "RigClock"]),
        room("ZeroMQ", ["CZeroMQ", "Posix", deque]),
        room("RigRules", ["CaptureModel", "RigClock", "RigProtocol", deque]),
        room("RigConfiguration", ["CaptureModel", .product(name: "Yams", package: "Yams")]),
        room("Video4Linux", ["CVideo4Linux", "CPosix", "Posix"]),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CaptureModel", "PhotoEncoding", "Posix", "RigClock", "RigConfiguration",
                "RigProtocol", "RigRules", "Video4Linux", "ZeroMQ",
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
