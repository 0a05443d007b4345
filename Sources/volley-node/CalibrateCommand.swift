import ArgumentParser
import CaptureModel
import Daemon
import Foundation
import NodeAgent
import PhotoCapture

/// `volley-node calibrate CAMERA`: learns a camera.
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measures after how many frames a camera's controls act, and its response curve, and keeps both.",
        discussion: """
            Point the camera at something still and evenly lit. It takes some seconds. The profile is the camera \
            model's: one board's can be copied to the others.
            """)

    @Argument(help: "simulated:SEED or v4l2:DEVICE (a path, by-id, by-path or serial).") var name: String
    @OptionGroup var options: NodeOptions

    func run() async throws {
        try await Output.reporting {
            let settings = try options.settings(flags: ["camera": name])
            let camera = try LocalCamera(settings, isRequired: true)
            try camera.profiles.checkFolder()
            try await camera.running { try await calibrate(camera) }
        }
    }

    private func calibrate(_ camera: LocalCamera) async throws {
        let profile = try await camera.device.calibrate()
        try camera.profiles.keep(profile)
        try Output.json(profile)
        if profile.response == nil {
            Output.words(
                "volley-node: the scene shows too little contrast for a response curve; exposures stay unverifiable.")
        }
        let path = camera.profiles.path(model: profile.modelID, pixelFormat: profile.pixelFormat)
        Output.words("volley-node: kept in \(path)")
    }
}
