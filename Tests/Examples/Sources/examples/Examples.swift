import Foundation
import PhotoCapture
import SimulatedCamera
import V4L2Camera

/// Runs every example on one camera: `examples simulated:7`, `examples v4l2:/dev/video0 640x480`.
@main
struct Examples {
    static func main() async throws {
        guard let device = try camera(CommandLine.arguments.dropFirst()) else {
            print("usage: examples simulated:SEED | v4l2:DEVICE [WIDTHxHEIGHT]")
            exit(64)
        }
        // Apple: AVCaptureSession, AVCaptureDeviceInput, AVCapturePhotoOutput.
        let (session, output) = (CaptureSession(), PhotoOutput())
        try session.addInput(device)
        try session.addOutput(output)
        try session.startRunning()
        defer { try? session.stopRunning() }

        try await takeBracket(with: output)
        try await followProgress(of: output)
        try await prepareAhead(output)
        try await setByHand(device)
        try await observe(device)
        try await preview(from: session)
        print("all examples ran on \(device.uniqueID)")
    }

    private static func camera(_ arguments: ArraySlice<String>) throws -> CaptureDevice? {
        let parts = arguments.first?.split(separator: ":", maxSplits: 1).map(String.init) ?? []
        let size = arguments.dropFirst().first?.split(separator: "x").compactMap { Int($0) } ?? []
        return switch (parts.first, parts.last) {
        case ("simulated", let seed?): UInt64(seed).map { CaptureDevice(simulated: $0) }
        case ("v4l2", let device?):
            // A camera is learned once, and known from then on.
            try CaptureDevice(
                v4l2: device, dimensions: size.count == 2 ? Dimensions(width: size[0], height: size[1]) : nil,
                profiles: FileProfileStore(folder: "profiles"))
        default: nil
        }
    }
}

/// What an example promises and did not see.
struct Disappointment: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, _ promise: String) throws {
    guard condition else { throw Disappointment(description: promise) }
}
