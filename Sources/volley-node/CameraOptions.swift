import ArgumentParser
import CaptureModel
import Foundation
import NodeAgent
import PhotoCapture
import RigConfiguration
import SimulatedCamera
import V4L2Camera
import Video4Linux

/// The options that choose a camera.
struct CameraOptions: ParsableArguments {
    @OptionGroup var node: NodeOptions
    @Option(help: "simulated:SEED or v4l2:DEVICE (a path, by-id, by-path or serial).") var camera: String?

    /// The settings of the three layers.
    func settings(flags: [String: String?] = [:]) throws -> Settings {
        try node.settings(flags: flags.merging(["camera": camera]) { $1 })
    }
}
