// swift-tools-version:6.1
import PackageDescription

// A program of somebody else's, which sees of the capture core what is public and nothing more. In a package of your own
// it is `.package(url: "...", .upToNextMinor(from: "0.1.0"))`.
let package = Package(
    name: "examples",
    dependencies: [.package(name: "volley", path: "../..")],
    targets: [
        .executableTarget(
            name: "examples", dependencies: [.product(name: "PhotoCapture", package: "volley")],
            swiftSettings: [.unsafeFlags(["-warnings-as-errors"])])
    ],
    swiftLanguageModes: [.v6]
)
