package import CaptureModel

/// operator -> coordinator: note what a person says of captures or photos that were taken.
package struct AnnotateRequest: CatalogueMessage, Hashable {
    package typealias Reply = AnnotateReply
    package static let type = "annotateRequest"
    /// The most captures that one request may be about, and the most photos.
    package static let (mostCaptures, mostPhotos) = (1000, 10_000)
    /// The captures, of which only ``PhotoFilter/captures`` counts, or the photos.
    package var filter: PhotoFilter
    /// Whether it is said of the photos, rather than of the captures.
    package var isOfPhotos: Bool
    /// What is said.
    package var annotation: Annotation

    package init(filter: PhotoFilter, isOfPhotos: Bool, annotation: Annotation) {
        (self.filter, self.isOfPhotos, self.annotation) = (filter, isOfPhotos, annotation)
    }

    /// Why it is refused before anything is done; nil where it can be considered.
    package var problem: String? {
        if isOfPhotos, annotation.isOfCapturesOnly { return "Labels, sessions and subjects are of whole captures." }
        return annotation.problem
    }

    /// The captures that it is about, in words.
    package var subject: String { filter.captures.subject }
}

/// coordinator -> operator: what was said stands in the catalogue.
package struct AnnotateReply: WireMessage, Hashable {
    package static let type = "annotateReply"
    /// The number of captures that it is about.
    package var captureCount: Int
    /// The number of photos; 0 where it is about captures.
    package var photoCount: Int

    package init(captureCount: Int, photoCount: Int) {
        (self.captureCount, self.photoCount) = (captureCount, photoCount)
    }

    /// Of how much it was said.
    package var words: String {
        photoCount > 0 ? "photos: \(photoCount), captures: \(captureCount)" : "captures: \(captureCount)"
    }
}

extension CaptureFilter {
    /// What an act was about, for the audit.
    var subject: String { digits ?? session.map { "session \($0)" } ?? "chosen captures" }
}
