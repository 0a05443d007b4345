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

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "House/\(name)", swiftSettings: strict)
}

func library(_ name: String) -> Target {
    .systemLibrary(name: name, path: "House/\(name)")
}

let package = Package(
    name: "benchmarks",
    targets: [
        library("CPosix"), library("CTurboJPEG"), library("CTIFF"), library("CEXIF"), library("CVideo4Linux"),
        room("CaptureModel"),
        room("Posix", ["CPosix"]),
        room("PhotoEncoding", ["CaptureModel", "CTurboJPEG", "CTIFF", "CEXIF", "CPosix", "Posix"]),
        room("PhotoCapture", ["CaptureModel", "PhotoEncoding", "Posix"]),
        room("SimulatedCamera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix"]),
        room("RigClock", ["CaptureModel"]),
        room("RigSimulation", ["CaptureModel", "RigClock", "SimulatedCamera"]),
        room("Video4Linux", ["CVideo4Linux", "CPosix", "Posix"]),
        room("V4L2Camera", ["CaptureModel", "PhotoCapture", "PhotoEncoding", "Posix", "Video4Linux"]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CaptureModel", "CTurboJPEG", "PhotoCapture", "PhotoEncoding", "Posix", "RigClock", "RigSimulation",
                "SimulatedCamera", "V4L2Camera",
                "Video4Linux",
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
