import ArgumentParser
import CaptureModel
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
    @OptionGroup var options: CameraOptions

    func run() async throws {
        try await Report.errors {
            var options = options
            options.camera = name
            let settings = try options.settings()
            let camera = try CameraName.factory(settings)()
            let profiles = FileProfileStore(folder: CameraOptions.profileFolder(settings))
            let device = CaptureDevice(camera, profiles: profiles)
            let session = CaptureSession()
            try session.addInput(device)
            try session.startRunning()
            defer { try? session.stopRunning() }
            let profile = try await device.calibrate()
            try profiles.keep(profile)
            try Report.document(profile)
            if profile.response == nil {
                Report.words(
                    "volley-node: the scene shows too little contrast for a response curve; exposures stay unverifiable."
                )
            }
            let path = profiles.path(model: profile.modelID, pixelFormat: profile.pixelFormat)
            Report.words("volley-node: kept in \(path)")
        }
    }
}
