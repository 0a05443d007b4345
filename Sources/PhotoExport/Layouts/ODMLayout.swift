import CaptureModel

/// One folder of JPEGs with tags that say which the rig took together.
///
/// OpenDroneMap (`opendm/photo.py`) reads `Camera:CaptureUUID` and `Camera:RigCameraIndex` as attributes of the XMP in
/// the file. Pix4D's name of a band is left out: it would make the set a multispectral one.
enum ODMLayout {
    static func arrange(
        _ photos: [ExportPhoto], _ numbers: ExportNumbers
    ) throws(ExportPlan.Problem) -> [ExportPlan.Entry] {
        if let photo = photos.first(where: { $0.photo.record.format != .jpeg }) {
            throw ExportPlan.Problem(
                message:
                    "OpenDroneMap needs tags that can only be added to a JPEG, and the \(ExportPlan.words(photo)) is none; "
                    + "export with --format jpeg.")
        }
        return photos.map { photo in
            let tags = ExportTags(
                xmp: """
                    <rdf:Description rdf:about="" xmlns:Camera="http://pix4d.com/camera/1.0/" \
                    Camera:CaptureUUID="\(photo.shot.name)" Camera:RigName="volley" \
                    Camera:RigCameraIndex="\(numbers.camera(photo))"/>
                    """)
            return ExportPlan.Entry(photo, "images/\(photo.node)_\(photo.shot.name).jpg", tags: tags)
        }
    }
}
