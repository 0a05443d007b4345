import CaptureModel
import RigProtocol

/// What people do with captures afterwards.
extension RigMachine {
    /// Writes down what a person said, in the catalogue and beside the photos.
    ///
    /// Whoever says it hears of it once it is in the catalogue; an archive that a crash prevents is written at the next
    /// start.
    func annotate(
        _ captures: [UniqueID], _ photos: [PhotoID], _ annotation: Annotation, _ caller: Caller
    ) -> [RigEffect] {
        let ids = Set(captures).union(photos.map(\.uniqueID)).sorted()
        let changes =
            captures.sorted().map { CatalogueChange.annotated($0, annotation, at: utc) }
            + photos.map { .photoAnnotated($0, annotation, at: utc) }
        let reply = AnnotateReply(captureCount: ids.count, photoCount: photos.count)
        return [.commit(changes, then: [.reply(.annotated(reply), to: caller)] + ids.map { .archive($0, then: []) })]
    }
}
