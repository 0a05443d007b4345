import CaptureModel
import Foundation

/// `images/<node>/<capture>_<step>.jpg`, and `rig_config.json` for `colmap rig_configurator`.
///
/// COLMAP 3.12, *Rigs*: images of one instant have one name, in a folder for each camera.
enum COLMAPLayout {
    fileprivate struct Rig: Encodable {
        let cameras: [Camera]
    }

    fileprivate struct Camera: Encodable {
        let imagePrefix: String
        var refSensor: Bool?
        var rotation, translation: [Double]?
        var modelName: String?
        var parameters: [Double]?

        enum CodingKeys: String, CodingKey {
            case imagePrefix = "image_prefix"
            case refSensor = "ref_sensor"
            case rotation = "cam_from_rig_rotation"
            case translation = "cam_from_rig_translation"
            case modelName = "camera_model_name"
            case parameters = "camera_params"
        }
    }

    static func path(_ photo: ExportPhoto) -> String {
        "images/\(photo.node)/\(photo.shot.name).\(photo.fileExtension)"
    }

    /// The node and the capture of a photo of this layout, by its path in it or below its folder of images.
    static func photo(_ path: String) -> (NodeName, UniqueID)? {
        let words = path.split(separator: "/")
        guard words.count >= 2, let node = NodeName(String(words[words.count - 2])),
            let id = Int64(words[words.count - 1].prefix { $0 != "_" })
        else { return nil }
        return (node, UniqueID(rawValue: id))
    }

    static func rigConfiguration(_ manifest: ExportManifest, _ poses: [NodeName: CameraGeometry]) -> String {
        // COLMAP refuses a camera without a photo.
        let present = Set(manifest.files.map(\.node))
        let all = manifest.nodes.filter(present.contains)
        // With some poses missing it would place none: what is not known is left to it, outside the rig.
        let posed = all.filter { poses[$0] != nil }
        let nodes = posed.count > 1 ? posed : all
        let poses = posed.count > 1 ? poses : [:]
        // Poses are against the first camera's, which the others have in common.
        let reference = nodes.first { poses[$0] != nil } ?? nodes.first
        let origin = reference.flatMap { poses[$0] }?.pose
        let cameras = nodes.map { node in
            var camera = Camera(imagePrefix: "\(node)/")
            if node == reference { camera.refSensor = true }
            if let known = poses[node], let origin {
                if manifest.fits(known.intrinsics, node) { camera.take(known.intrinsics) }
                if node != reference {
                    camera.take(known.pose.moved(turn: origin.rotation, scale: 1, offset: origin.translation))
                }
            }
            return camera
        }
        return JSONText.of([Rig(cameras: cameras)])
    }
}

extension COLMAPLayout.Camera {
    fileprivate mutating func take(_ lens: CameraIntrinsics) { (modelName, parameters) = lens.colmap }

    fileprivate mutating func take(_ pose: CameraPose) {
        rotation = pose.rotation.indices.map { pose.rotation[$0] }
        translation = pose.translation.indices.map { pose.translation[$0] }
    }
}

extension CameraIntrinsics {
    /// The simplest of COLMAP's models that says as much, with its parameters; the simplest is that which COLMAP takes
    /// where nobody tells it.
    fileprivate var colmap: (model: String, parameters: [Double]) {
        let centre = [principalPointX, principalPointY]
        if focalLengthX != focalLengthY { return ("OPENCV", [focalLengthX, focalLengthY] + centre + [k1, k2, 0, 0]) }
        if k2 != 0 { return ("RADIAL", [focalLengthX] + centre + [k1, k2]) }
        return ("SIMPLE_RADIAL", [focalLengthX] + centre + [k1])
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
