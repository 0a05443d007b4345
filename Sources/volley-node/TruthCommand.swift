import ArgumentParser
import Documents
import Programs
import SimulatedCamera

/// `volley-node truth`: what a reconstruction of simulated photos ought to find.
struct TruthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "truth",
        abstract: "Prints where simulated cameras stand and what their lenses do, exactly, as one JSON document.",
        discussion: "Their photos with this make a data set with ground truth for whoever tries algorithms.")

    @Argument(help: "Their names: \(SimulatedCameraConfiguration.form).") var cameras: [String]

    func run() async throws {
        try await Output.reporting {
            let geometries = try cameras.map { name in
                guard let configuration = SimulatedCameraConfiguration(name: name) else {
                    throw ValidationError("'\(name)' is no simulated camera: \(SimulatedCameraConfiguration.form)")
                }
                return configuration.geometry
            }
            try Output.json(RigGeometryDocument(geometries))
        }
    }
}
