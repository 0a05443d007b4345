import CaptureModel

/// `rig/<camera>/frame_<instant>.jpg`.
///
/// AliceVision (`main_cameraInit.cpp`) takes photos for a rig's where the name of the folder above their folder begins
/// with `rig`; the number of the folder is the camera, and the number at the end of the name, of 32 bits, the instant.
/// Cameras that have one serial number are taken for one camera.
enum MeshroomLayout {
    static func arrange(
        _ photos: [ExportPhoto], _ numbers: ExportNumbers
    ) throws(ExportPlan.Problem) -> [ExportPlan.Entry] {
        let owners = Dictionary(grouping: photos) { $0.camera?.serialNumber }.mapValues { Set($0.map(\.node)) }
        var entries: [ExportPlan.Entry] = []
        for photo in photos {
            let number = "\(numbers.instant(photo))"
            let padded = String(repeating: "0", count: max(0, 6 - number.count)) + number
            let path = "rig/\(numbers.camera(photo))/frame_\(padded).\(photo.fileExtension)"
            guard let serial = photo.camera?.serialNumber, owners[serial]?.count ?? 0 > 1 else {
                entries.append(ExportPlan.Entry(photo, path))
                continue
            }
            guard photo.photo.record.format == .jpeg else {
                throw ExportPlan.Problem(
                    message:
                        "The cameras of several nodes have the serial number \(serial), and Meshroom would take them "
                        + "for one; another can only be given to a JPEG: export with --format jpeg.")
            }
            let tags = ExportTags(bodySerialNumber: "\(serial) \(photo.node)")
            entries.append(ExportPlan.Entry(photo, path, tags: tags))
        }
        return entries
    }
}
