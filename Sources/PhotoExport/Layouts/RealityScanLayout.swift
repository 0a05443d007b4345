import CaptureModel
import Foundation

/// The names of Metashape's layout, with a sidecar for each photo that says which the rig took together.
///
/// Capturing Reality, *XMP Metadata Structure* and *XMP Camera Math*: the rotation takes the world to the camera (to the
/// right, down, ahead), the position is the camera's place. Poses are not written where they are not known, and lenses
/// without their distortion, of which the unit is not said.
enum RealityScanLayout {
    static func sidecars(
        _ manifest: ExportManifest, _ poses: [NodeName: CameraGeometry]
    ) -> [String: String] {
        let cameras = Dictionary(uniqueKeysWithValues: manifest.nodes.enumerated().map { ($1, $0) })
        let sidecars = manifest.files.map { file in
            let stem = file.path.prefix(upTo: file.path.lastIndex(of: ".") ?? file.path.endIndex)
            return ("\(stem).xmp", text(file, manifest.rigID, camera: cameras[file.node] ?? 0, poses[file.node]))
        }
        return Dictionary(sidecars) { first, _ in first }
    }

    private static func text(
        _ file: ExportManifest.File, _ rigID: String, camera: Int, _ known: CameraGeometry?
    ) -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:xcr="http://www.capturingreality.com/ns/xcr/1.1#" xcr:Version="3" \
        xcr:Rig="{\(rigID)}" xcr:RigInstance="\(instance(file))" xcr:RigPoseIndex="\(camera)" \
        xcr:CalibrationGroup="\(camera)" xcr:DistortionGroup="\(camera)"\(known.map { pose($0, file) } ?? "/>")
        </rdf:RDF></x:xmpmeta>

        """
    }

    /// The end of a description.
    private static func pose(_ camera: CameraGeometry, _ file: ExportManifest.File) -> String {
        let (lens, axes, place) = (camera.intrinsics, camera.pose.axes, camera.pose.centre)
        let rows = [axes.right, axes.down, axes.ahead].flatMap { [$0.x, $0.y, $0.z] }
        var attributes =
            " xcr:PosePrior=\"initial\" xcr:Coordinates=\"relative\" xcr:Rotation=\"\(words(rows))\""
        if file.widthPixels == lens.dimensions.width, file.heightPixels == lens.dimensions.height {
            let (width, height) = (Double(lens.dimensions.width), Double(lens.dimensions.height))
            let longest = max(width, height)
            attributes += """
                 xcr:CalibrationPrior="initial" xcr:FocalLength35mm="\(lens.focalLengthX / longest * 36)" \
                xcr:PrincipalPointU="\((lens.principalPointX - width / 2) / longest)" \
                xcr:PrincipalPointV="\((lens.principalPointY - height / 2) / longest)"
                """
        }
        return "\(attributes)>\n<xcr:Position>\(words([place.x, place.y, place.z]))</xcr:Position>\n</rdf:Description>"
    }

    private static func words(_ numbers: [Double]) -> String { numbers.map { "\($0)" }.joined(separator: " ") }

    /// A capture and a step as a GUID.
    private static func instance(_ file: ExportManifest.File) -> String {
        let digits = String(format: "%016llX%04X", file.uniqueID.rawValue, file.step)
        let parts = [digits.prefix(8), digits.dropFirst(8).prefix(4), digits.dropFirst(12).prefix(4), digits.suffix(4)]
        return "{\(parts.joined(separator: "-"))-564F4C4C4559}"
    }
}
