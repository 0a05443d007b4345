import CaptureModel
import Foundation
import PhotoExport
import Posix

/// COLMAP as it is installed here: as Python's pycolmap, or as the command `colmap`.
struct COLMAPProgram {
    /// What it is called.
    let name: String
    private let isPython: Bool

    /// - Throws: ``ExportPlan/Problem`` where there is neither.
    init() throws {
        if try ShellCommand.run("python3 -c 'import pycolmap' 2>/dev/null") == 0 {
            (name, isPython) = ("pycolmap", true)
        } else if try ShellCommand.run("command -v colmap >/dev/null") == 0 {
            (name, isPython) = ("colmap", false)
        } else {
            throw ExportPlan.Problem(
                message:
                    "Neither pycolmap nor colmap is installed here: `pip install pycolmap` in an active virtual environment, or "
                    + "reconstruct elsewhere and name the model's folder with --model.")
        }
    }

    /// Reconstructs a folder with a folder of photos for each camera.
    ///
    /// - Parameter work: a folder for its files, of which `log` has what it says.
    func reconstruct(_ images: String, in work: String) async throws -> COLMAPModel {
        let model = work + "/model"
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        let (photos, database) = (ShellCommand.quoted(images), ShellCommand.quoted(work + "/database.db"))
        let command =
            isPython
            ? "python3 -c \(ShellCommand.quoted(Self.script)) \(photos) \(database) \(ShellCommand.quoted(model))"
            : Self.commands(photos, database, ShellCommand.quoted(model))
        let log = work + "/log"
        let status = try await OSThread.run(name: "reconstruct") {
            try ShellCommand.run("{ \(command); } >\(ShellCommand.quoted(log)) 2>&1")
        }
        let words = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n").last
        guard status == 0 else {
            let last = (words ?? "it says nothing").description
            throw ExportPlan.Problem(message: "\(name) failed: \(last)".printableLine)
        }
        guard try !FileManager.default.contentsOfDirectory(atPath: model).isEmpty else {
            throw ExportPlan.Problem(
                message: "\(name) could not place a single photo: are they of one scene, and sharp enough?")
        }
        return try COLMAPModel(folder: model)
    }

    private static let script = """
        import sys
        import pycolmap
        images, database, model = sys.argv[1:]
        pycolmap.set_random_seed(0)
        pycolmap.extract_features(database, images, camera_mode=pycolmap.CameraMode.PER_FOLDER)
        pycolmap.match_exhaustive(database)
        pycolmap.incremental_mapping(database, images, model)
        """

    /// Without a graphics card, as boards and servers have none; releases call the option by two names.
    private static func commands(_ images: String, _ database: String, _ model: String) -> String {
        """
        gpu() { colmap "$1" -h 2>&1 | grep -oE "(Feature|Sift)(Extraction|Matching)\\.use_gpu" | head -1; }
        colmap feature_extractor --database_path \(database) --image_path \(images) \
            --ImageReader.single_camera_per_folder 1 "--$(gpu feature_extractor)" 0 &&
        colmap exhaustive_matcher --database_path \(database) "--$(gpu exhaustive_matcher)" 0 &&
        colmap mapper --database_path \(database) --image_path \(images) --output_path \(model)
        """
    }
}
