import CaptureModel

/// `rig/<camera>/frame_<instant>.jpg`.
///
/// AliceVision (`main_cameraInit.cpp`) takes photos for a rig's where the name of the folder above their folder begins
/// with `rig`; the number of the folder is the camera, and the number at the end of the name, of 32 bits, the instant.
/// Cameras are told apart by their serial numbers.
enum MeshroomLayout {
    static func arrange(
        _ photos: [ExportPhoto], _ numbers: ExportNumbers
    ) throws(ExportPlan.Problem) -> [ExportPlan.Entry] {
        var entries: [ExportPlan.Entry] = []
        for photo in photos {
            let number = "\(numbers.instant(photo))"
            let padded = String(repeating: "0", count: max(0, 6 - number.count)) + number
            let path = "rig/\(numbers.camera(photo))/frame_\(padded).\(photo.fileExtension)"
            guard photo.camera?.serialNumber == nil else {
                entries.append(ExportPlan.Entry(photo, path))
                continue
            }
            // Cameras without a serial number would be taken for one.
            guard photo.photo.record.format == .jpeg else {
                throw ExportPlan.Problem(
                    message:
                        "The camera of \(photo.node) has no serial number, and Meshroom needs one, which can only be "
                        + "added to a JPEG; export with --format jpeg.")
            }
            entries.append(ExportPlan.Entry(photo, path, tags: ExportTags(bodySerialNumber: photo.node.rawValue)))
        }
        return entries
    }
}
