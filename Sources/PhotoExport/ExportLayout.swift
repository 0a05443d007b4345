/// What an export is arranged for.
package enum ExportLayout: String, Codable, Sendable, CaseIterable {
    /// COLMAP from 3.12 on: a folder for each camera, and one name for one instant.
    case colmap
    /// Meshroom: a folder with a number for each camera of the rig, and a number for each instant.
    case meshroom
    /// Agisoft Metashape: a name that no other photo has, and a script that adds them in groups.
    case metashape
    /// RealityScan and RealityCapture: the same names, with sidecars that say which photos the rig took together.
    case realityscan
    /// OpenDroneMap: one folder, and tags that say the same.
    case odm
    /// Programs that merge brackets: a folder for each bracket, in ascending exposure.
    case hdr
    /// Names by a template.
    case files

    /// Whether its programs make models, and take every photo for a picture of its own.
    package var isForModels: Bool {
        switch self {
        case .colmap, .meshroom, .metashape, .realityscan, .odm: true
        case .hdr, .files: false
        }
    }

    /// Whether it can say where the cameras stand.
    package var carriesPoses: Bool { self == .colmap || self == .realityscan }
}
