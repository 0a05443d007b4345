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

    /// Deletes, puts back or removes, in the catalogue; the archives and the files follow, at the latest at the next start.
    ///
    /// - Parameter caller: who hears of it; where nobody does, captures that are under way are left out.
    mutating func trash(_ order: TrashOrder, _ reply: TrashReply, _ caller: Caller?) -> [RigEffect] {
        let ids = order.captures.filter { !(captures[$0]?.isUnderWay ?? false) }
        if let caller, let id = order.captures.first(where: { !ids.contains($0) }) {
            let message =
                "Nothing was changed: capture \(id) is under way, or photos of it are still to come. Wait, or cancel it."
            return [.reply(.refused(Refusal(.unavailable, message)), to: caller)]
        }
        let changes: [CatalogueChange]
        switch order.act {
        case .delete:
            for id in ids { captures[id]?.isDeleted = true }
            changes = ids.map { .captureDeleted($0, by: order.user, at: utc) }
        case .deletePhotos(let photos):
            changes = photos.filter { ids.contains($0.uniqueID) }.map { .photoDeleted($0, at: utc) }
        case .recover:
            for id in ids { captures[id]?.isDeleted = false }
            changes = ids.map { .captureRecovered($0, at: utc) }
        case .empty(let last): changes = ids.map { .trashEmptied($0, deletedUntil: last, at: utc) }
        }
        let answer = caller.map { RigEffect.reply(.trash(reply), to: $0) }
        return [.commit(changes, then: [answer].compactMap(\.self) + ids.map { .archive($0, then: []) })]
    }
}
