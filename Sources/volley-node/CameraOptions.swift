import ArgumentParser
import RigConfiguration

/// The options that choose a camera.
struct CameraOptions: ParsableArguments {
    @OptionGroup var node: NodeOptions
    @Option(help: "simulated:SEED[@DEGREES] or v4l2:DEVICE (a path, by-id, by-path or serial).") var camera: String?

    /// The settings of the three layers.
    func settings(flags: [String: String?] = [:]) throws -> Settings {
        try node.settings(flags: flags.merging(["camera": camera]) { $1 })
    }
}
