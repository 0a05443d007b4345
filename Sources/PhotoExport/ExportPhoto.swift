package import CaptureModel

/// A photo that leaves the library, with what layouts name and sort it by.
package struct ExportPhoto: Sendable, Hashable {
    /// The instant that it shows: all photos of one step of one capture.
    package struct Shot: Sendable, Hashable, Codable, Comparable {
        package var uniqueID: UniqueID
        /// 1 for the first, and for a single photo.
        package var step: Int

        package static func < (one: Self, other: Self) -> Bool {
            (one.uniqueID, one.step) < (other.uniqueID, other.step)
        }

        /// `1795727132943120_02`.
        var name: String { "\(uniqueID)_\(step < 10 ? "0" : "")\(step)" }
    }

    /// The capture that it belongs to.
    package var capture: CaptureSummary
    /// Its place in its bracket, from 0, where that is put in ascending exposure.
    package var bracketRank: Int
    /// The camera that took it; nil where that is not known.
    package var camera: CameraUsed?
    /// What that is known by in the rig's geometry; nil where the camera is not known.
    package var identity: String?
    /// The photo in the library.
    package var photo: StoredPhoto
    /// Its file, of which there is one.
    package var file: PhotoFile
    /// Where its original lies.
    package var source: String

    /// - Returns: nil where the photo has no file.
    package init?(
        _ photo: StoredPhoto, of capture: CaptureSummary, plan: Plan?, camera: CameraUsed?, identity: String? = nil,
        source: String
    ) {
        guard let file = photo.record.file else { return nil }
        let (step, ranks) = (max(1, photo.record.sequenceCount), plan?.bracket.ranks ?? [])
        bracketRank = ranks.indices.contains(step - 1) ? ranks[step - 1] : step - 1
        (self.capture, self.camera, self.identity) = (capture, camera, identity)
        (self.photo, self.file, self.source) = (photo, file, source)
    }

    /// Which photo of which node it is.
    package var id: PhotoID {
        PhotoID(uniqueID: capture.uniqueID, node: photo.node, photoCount: photo.record.photoCount)
    }

    var node: NodeName { photo.node }
    var shot: Shot { Shot(uniqueID: capture.uniqueID, step: max(1, photo.record.sequenceCount)) }
    var fileExtension: String { photo.record.format.pathExtension }
    /// What it was exposed with, as far as is known.
    var exposure: Exposure {
        let record = photo.record
        let requested = record.requested
        return record.verified ?? record.applied
            ?? Exposure(duration: requested.duration, iso: requested.iso, gain: requested.gain)
    }
}
