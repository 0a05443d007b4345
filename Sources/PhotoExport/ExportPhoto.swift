package import CaptureModel
import DurableFiles

/// A photo that leaves the library, with what layouts name and sort it by.
///
/// Immutable and shared: a plan of many thousand photos hands them on from list to list.
package final class ExportPhoto: Sendable {
    /// The instant that it shows: all photos of one step of one capture.
    package struct Shot: Sendable, Hashable, Codable, Comparable {
        package var uniqueID: UniqueID
        /// 1 for the first, and for a single photo; 0 for a whole bracket that was merged.
        package var step: Int

        package static func < (one: Self, other: Self) -> Bool {
            (one.uniqueID, one.step) < (other.uniqueID, other.step)
        }

        /// `1795727132943120_02`, or `1795727132943120_merged`.
        var name: String { "\(uniqueID)_\(stepName)" }
        /// With two digits at least.
        var stepName: String { step == 0 ? "merged" : step < 10 ? "0\(step)" : "\(step)" }
    }

    /// The capture that it belongs to.
    package let capture: CaptureSummary
    /// Its place in its bracket, from 0, where that is put in ascending exposure.
    package let bracketRank: Int
    /// The camera that took it; nil where that is not known.
    package let camera: CameraUsed?
    /// What that is known by in the rig's geometry; nil where the camera is not known.
    package let identity: String?
    /// The photo in the library.
    package let photo: StoredPhoto
    /// Its file, of which there is one.
    package let file: PhotoFile
    /// Where its original lies.
    package let source: String
    /// The photos that it is merged of, in ascending exposure; empty for a photo of a camera.
    package let merges: [ExportPhoto]

    /// - Returns: nil where the photo has no file.
    package init?(
        _ photo: StoredPhoto, of detail: CaptureDetail, camera: CameraUsed?, identity: String? = nil, source: String
    ) {
        guard let file = photo.record.file else { return nil }
        let capture = detail.summary
        let (step, ranks) = (max(1, photo.record.sequenceCount), detail.ranks(of: photo.node))
        bracketRank = ranks.indices.contains(step - 1) ? ranks[step - 1] : step - 1
        (self.capture, self.camera, self.identity) = (capture, camera, identity)
        (self.photo, self.file, self.source, merges) = (photo, file, source, [])
    }

    /// - Parameters:
    ///   - photos: in ascending exposure, at least one.
    ///   - file: the picture that was made of them, or what is known of it before.
    ///   - source: where that lies.
    private init(merging photos: [ExportPhoto], _ file: PhotoFile, _ source: String) {
        let first = photos[0]
        (capture, bracketRank, camera, identity) = (first.capture, first.bracketRank, first.camera, first.identity)
        var photo = first.photo
        photo.record.verification = nil
        (self.photo, self.file, self.source, merges) = (photo, file, source, photos)
    }

    /// - Parameters:
    ///   - photos: in ascending exposure, at least one.
    ///   - folder: where what is merged lies, by a name that its photos' hashes give it: of them is known what it shows,
    ///     but not yet its bytes.
    fileprivate convenience init(merging photos: [ExportPhoto], in folder: String) {
        let name = Digest.of(Array(photos.map(\.file.sha256).joined().utf8)).prefix(32)
        let file = PhotoFile(
            byteCount: 0, sha256: "", dimensions: photos[0].file.dimensions, imageUniqueID: String(name))
        self.init(merging: photos, file, "\(folder)/\(name).jpg")
    }

    /// The same bracket, with the bytes of its picture.
    package func made(byteCount: Int, sha256: String) -> ExportPhoto {
        ExportPhoto(
            merging: merges,
            PhotoFile(
                byteCount: byteCount, sha256: sha256, dimensions: file.dimensions, imageUniqueID: file.imageUniqueID),
            source)
    }

    /// Which photo of which node it is; 0 counts for a bracket that was merged, whichever photos it has.
    package var id: PhotoID {
        PhotoID(
            uniqueID: capture.uniqueID, node: photo.node, photoCount: merges.isEmpty ? photo.record.photoCount : 0)
    }

    package var node: NodeName { photo.node }
    package var shot: Shot {
        Shot(uniqueID: capture.uniqueID, step: merges.isEmpty ? max(1, photo.record.sequenceCount) : 0)
    }
    var fileExtension: String { photo.record.format.pathExtension }
    /// What it was exposed with, as far as is known.
    package var exposure: Exposure {
        guard merges.isEmpty else { return Exposure() }
        let record = photo.record
        let requested = record.requested
        return record.verified ?? record.applied
            ?? Exposure(duration: requested.duration, iso: requested.iso, gain: requested.gain)
    }
}

extension [ExportPhoto] {
    /// One for each bracket of each node, that is still to be merged.
    ///
    /// - Parameter folder: where what is merged lies.
    package func merged(in folder: String) -> [ExportPhoto] {
        var brackets: [[ExportPhoto]] = []
        var places: [PhotoID: Int] = [:]
        for photo in self {
            let bracket = PhotoID(uniqueID: photo.id.uniqueID, node: photo.node, photoCount: 0)
            if let place = places[bracket] {
                brackets[place].append(photo)
            } else {
                places[bracket] = brackets.count
                brackets.append([photo])
            }
        }
        return brackets.map { ExportPhoto(merging: $0.sorted { $0.bracketRank < $1.bracketRank }, in: folder) }
    }
}

extension [ExportPhoto] {
    /// Of several formats the first that every program reads; nil where there is no photo.
    package var commonFormat: PhotoFormat? {
        let formats = Set(map { $0.photo.record.format })
        return [.jpeg, .tiff, .dng].first(where: formats.contains)
    }
}
