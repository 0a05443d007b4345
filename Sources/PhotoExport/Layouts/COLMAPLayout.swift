import CaptureModel
import Foundation

/// `images/<node>/<capture>_<step>.jpg`, and `rig_config.json` for `colmap rig_configurator`.
///
/// COLMAP 3.12, *Rigs*: images of one instant have one name, in a folder for each camera.
enum COLMAPLayout {
    private struct Rig: Encodable {
        let cameras: [Camera]
    }

    private struct Camera: Encodable {
        let imagePrefix: String
        let refSensor: Bool?

        enum CodingKeys: String, CodingKey {
            case imagePrefix = "image_prefix"
            case refSensor = "ref_sensor"
        }
    }

    static func path(_ photo: ExportPhoto) -> String {
        "images/\(photo.node)/\(photo.shot.name).\(photo.fileExtension)"
    }

    static func rigConfiguration(_ manifest: ExportManifest) -> String {
        // COLMAP refuses a camera without a photo.
        let present = Set(manifest.files.map(\.node))
        let cameras = manifest.nodes.filter(present.contains).enumerated().map { index, node in
            Camera(imagePrefix: "\(node)/", refSensor: index == 0 ? true : nil)
        }
        return JSONText.of([Rig(cameras: cameras)])
    }
}

enum JSONText {
    /// With sorted keys, so that the same export gives the same text.
    static func of(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure("a value of texts and numbers") }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
