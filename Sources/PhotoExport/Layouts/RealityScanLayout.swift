import CaptureModel
import Foundation

/// The names of Metashape's layout, with a sidecar for each photo that says which the rig took together.
///
/// Capturing Reality, *XMP Metadata Structure*. Poses are not written where they are not known.
enum RealityScanLayout {
    static func sidecars(_ manifest: ExportManifest) -> [String: String] {
        let cameras = Dictionary(uniqueKeysWithValues: manifest.nodes.enumerated().map { ($1, $0) })
        let sidecars = manifest.files.map { file in
            let stem = file.path.prefix(upTo: file.path.lastIndex(of: ".") ?? file.path.endIndex)
            return ("\(stem).xmp", text(file, manifest.rigID, camera: cameras[file.node] ?? 0))
        }
        return Dictionary(sidecars) { first, _ in first }
    }

    private static func text(_ file: ExportManifest.File, _ rigID: String, camera: Int) -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:xcr="http://www.capturingreality.com/ns/xcr/1.1#" xcr:Version="3" \
        xcr:Rig="{\(rigID)}" xcr:RigInstance="\(instance(file))" xcr:RigPoseIndex="\(camera)" \
        xcr:CalibrationGroup="\(camera)" xcr:DistortionGroup="\(camera)"/>
        </rdf:RDF></x:xmpmeta>

        """
    }

    /// A capture and a step as a GUID.
    private static func instance(_ file: ExportManifest.File) -> String {
        let digits = String(format: "%016llX%04X", file.uniqueID.rawValue, file.step)
        let parts = [digits.prefix(8), digits.dropFirst(8).prefix(4), digits.dropFirst(12).prefix(4), digits.suffix(4)]
        return "{\(parts.joined(separator: "-"))-564F4C4C4559}"
    }
}
