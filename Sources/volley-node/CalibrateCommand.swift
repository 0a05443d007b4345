import ArgumentParser
import CaptureModel
import Foundation
import Glibc
import NodeAgent
import PhotoCapture
import Programs

/// `volley-node calibrate CAMERA`: learns a camera.
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measures a camera's control delays, response curve and gain, and keeps them in a profile.",
        discussion: """
            Point the camera at something still, in steady light, with both bright and dark areas. It takes 100 to \
            about 500 frames. Ctrl-C stops it and puts the camera back as it was. On a board that runs a node, stop \
            the node, then run this as root without naming a camera: the camera and the node's folder of profiles are \
            taken from \(NodeOptions.service), or from the file given with --config. The profile belongs to the camera \
            model: one board's can be copied to the others.
            """)

    @Argument(
        help: "simulated:SEED[@DEGREES] or v4l2:DEVICE (a path, by-id, by-path or serial); default: the node's camera.")
    var name: String?
    @OptionGroup var options: NodeOptions
    @Flag(help: "Print the profile as one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            var options = options
            if name == nil { options.takeService() }
            let settings = try options.settings(flags: ["camera": name])
            let camera = try LocalCamera(settings)
            try camera.profiles.checkFolder()
            try await camera.running { try await calibrate(camera) }
        }
    }

    private func calibrate(_ camera: LocalCamera) async throws {
        let seconds = (camera.device.usualCalibrationDuration + 999_999_999) / 1_000_000_000
        Output.words("volley-node: learning \(camera.device.uniqueID), about \(seconds) s")
        let progress = Task { await tellProgress(of: camera.device) }
        defer { progress.cancel() }
        let profile = try await camera.device.calibrate()
        try camera.profiles.keep(profile)
        let path = camera.profiles.path(model: profile.modelID, pixelFormat: profile.pixelFormat)
        if json {
            try Output.json(profile)
        } else {
            Self.lines(profile, path).forEach { Output.data($0.printableLine) }
        }
    }

    /// What was learned, and what follows from it.
    private static func lines(_ profile: CameraProfile, _ path: String) -> [String] {
        let delays = profile.delays
        let lowest = profile.gains.first.map { ($0.gain, $0.ev) }
        let gain = profile.gains.last.flatMap { last in
            lowest.map {
                "\(CameraSettings.text($0.0)) to \(CameraSettings.text(last.gain)) is worth "
                    + "\(CameraSettings.text(last.ev - $0.1)) EV"
            }
        }
        return [
            "\(profile.modelID), \(profile.pixelFormat)",
            "  delays    exposure \(delays.exposureDuration), gain \(delays.gain) frames",
            "  response  "
                + (profile.limitation.map { "none: \($0); exposures will be unverifiable" }
                    ?? "a curve, by which each exposure is verified"),
            "  gain      " + (gain ?? "not measured"),
            "  kept in   \(path)",
        ]
    }

    /// Prints a line for each quarter.
    private func tellProgress(of device: CaptureDevice) async {
        var told = 0.0
        for await now in device.properties.values() {
            guard let progress = now.calibrationProgress, progress >= told + 0.25 else { continue }
            told = (progress * 4).rounded(.down) / 4
            Output.words("volley-node: \(Int(told * 100)) % learned")
        }
    }
}
