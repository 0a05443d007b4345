package import CaptureModel

/// operator -> coordinator: photos of a capture were exported.
package struct NoteExportRequest: OperatorMessage, Hashable {
    package typealias Reply = NoteExportReply
    package static let type = "noteExportRequest"
    /// The capture.
    package var uniqueID: UniqueID
    /// What they were arranged for, such as `colmap`.
    package var layout: String
    /// Where they are, in words.
    package var place: String
    /// How many are new there.
    package var photoCount: Int

    package init(uniqueID: UniqueID, layout: String, place: String, photoCount: Int) {
        (self.uniqueID, self.layout, self.place, self.photoCount) = (uniqueID, layout, place, photoCount)
    }

    /// The capture that it is about.
    package var capture: CaptureFilter {
        var filter = CaptureFilter()
        filter.digits = uniqueID.description
        return filter
    }

    /// For somebody who reads what was done.
    package var words: String { "\(photoCount) photo\(photoCount == 1 ? "" : "s") for \(layout) to \(place)" }
}

/// coordinator -> operator: the export is noted.
package struct NoteExportReply: WireMessage, Hashable {
    package static let type = "noteExportReply"

    package init() {}
}
