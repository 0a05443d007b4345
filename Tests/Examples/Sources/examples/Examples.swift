import Foundation
import PhotoCapture
import SimulatedCamera
import V4L2Camera

/// Runs every example on one camera: `examples simulated:7`, `examples v4l2:/dev/video0`.
@main
struct Examples {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let device = try camera(CommandLine.arguments[1]) else {
            print("usage: examples simulated:SEED | v4l2:DEVICE")
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

    private static func camera(_ name: String) throws -> CaptureDevice? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        return switch (parts.first, parts.last) {
        case ("simulated", let seed?): UInt64(seed).map { CaptureDevice(simulated: $0) }
        case ("v4l2", let device?): try CaptureDevice(v4l2: device)
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
