package import CaptureModel
import Foundation

/// A reconstruction by COLMAP: which photos it placed, and what their cameras see.
///
/// COLMAP, *Output Format*: `cameras.bin` and `images.bin`, little-endian, or `cameras.txt` and `images.txt`.
package struct COLMAPModel: Sendable {
    /// A photo that was placed.
    package struct Image: Sendable, Hashable {
        /// Its path below the folder of images.
        package var name: String
        package var intrinsics: CameraIntrinsics
        /// From the model's axes to the camera's.
        package var pose: CameraPose
    }

    /// Why there is none.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package private(set) var images: [Image] = []

    /// Reads a folder with a model, or one with several, of which it takes the one with most images.
    package init(folder: String) throws(Problem) {
        let models = Self.models(in: folder)
        guard !models.isEmpty else {
            throw Problem(description: "\(folder) has no model of COLMAP: no images.bin, no images.txt.")
        }
        for model in models {
            let images = try Self.images(of: model)
            if images.count > self.images.count { self.images = images }
        }
    }

    private static func models(in folder: String) -> [String] {
        let files = FileManager.default
        func isModel(_ folder: String) -> Bool {
            ["images.bin", "images.txt"].contains { files.fileExists(atPath: "\(folder)/\($0)") }
        }
        if isModel(folder) { return [folder] }
        let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { Int($0) != nil }.sorted().map { "\(folder)/\($0)" }.filter(isModel)
    }

    private static func images(of folder: String) throws(Problem) -> [Image] {
        for (suffix, read) in [("bin", COLMAPReading.binary), ("txt", COLMAPReading.text)] {
            guard let images = FileManager.default.contents(atPath: "\(folder)/images.\(suffix)") else { continue }
            guard let cameras = FileManager.default.contents(atPath: "\(folder)/cameras.\(suffix)") else {
                throw Problem(description: "\(folder) has images.\(suffix), but no cameras.\(suffix) that can be read.")
            }
            do throws(COLMAPReading.Failure) { return try read(cameras, images) } catch {
                throw Problem(description: "\(folder) is no model that can be read: \(error.words).")
            }
        }
        throw Problem(description: "\(folder) cannot be read.")
    }
}
