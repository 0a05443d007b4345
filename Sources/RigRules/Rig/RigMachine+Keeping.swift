package import CaptureModel
import RigProtocol

/// What people do with captures afterwards.
extension RigMachine {
    /// Writes down what a person said, in the catalogue and beside the photos.
    ///
    /// Whoever says it hears of it once it is in the catalogue; an archive that a crash prevents is written at the next
    /// start.
    mutating func annotate(
        _ captures: [UniqueID], _ photos: [PhotoID], _ annotation: Annotation, _ caller: Caller
    ) -> [RigEffect] {
        let ids = Set(captures).union(photos.map(\.uniqueID)).sorted()
        let changes =
            captures.sorted().map { CatalogueChange.annotated($0, annotation, at: utc) }
            + photos.map { .photoAnnotated($0, annotation, at: utc) }
        for id in ids { annotated[id] = now }
        let reply = AnnotateReply(captureCount: ids.count, photoCount: photos.count)
        let then = [.reply(.annotated(reply), to: caller)] + ids.map { RigEffect.archive($0, then: []) }
        return [.act(changes, of: caller, then: then)]
    }

    /// What somebody wanted done is not in the catalogue, and never will be.
    mutating func actFailed(_ changes: [CatalogueChange], _ caller: Caller?, _ reason: String) -> [RigEffect] {
        for change in changes {
            if case .captureDeleted(let id, _, _) = change { captures[id]?.isDeleted = false }
            if case .captureRecovered(let id, _, _) = change { captures[id]?.isDeleted = true }
        }
        guard let caller else { return [.report(Report("retention: nothing was changed: \(reason)"))] }
        let refusal = Refusal(.tryAgain, "Nothing was changed, and nothing will be: \(reason)")
        return [.reply(.refused(refusal), to: caller)]
    }

    /// Deletes, puts back or removes, in the catalogue; the archives and the files follow, at the latest at the next start.
    ///
    /// - Parameter caller: who hears of it; where nobody does, captures are left out that are under way, or that people have
    ///   said something of which may not be in the catalogue yet.
    mutating func trash(_ order: TrashOrder, _ reply: TrashReply, _ caller: Caller?) -> [RigEffect] {
        // What is in the trash already is nobody's debt.
        let held =
            order.isEmptying ? [] : order.captures.compactMap { id in objection(toTrashing: id).map { (id, $0) } }
        if let caller, let (_, message) = held.first {
            return [.reply(.refused(Refusal(.unavailable, "Nothing was changed: " + message)), to: caller)]
        }
        let heldIDs = Set(held.map(\.0))
        let isOwnWill = caller == nil && !order.isEmptying
        let ids = order.captures.filter { !heldIDs.contains($0) && !(isOwnWill && annotated[$0] != nil) }
        let changes: [CatalogueChange]
        switch order.act {
        case .delete:
            for id in ids { captures[id]?.isDeleted = true }
            changes = ids.map { .captureDeleted($0, by: order.user, at: utc) }
        case .deletePhotos(let photos):
            let chosen = Set(ids)
            changes = photos.filter { chosen.contains($0.uniqueID) }.map { .photoDeleted($0, at: utc) }
        case .recover(let since):
            for id in ids { captures[id]?.isDeleted = false }
            changes = ids.map { .captureRecovered($0, deletedSince: since, at: utc) }
        case .empty(let last): changes = ids.map { .trashEmptied($0, deletedUntil: last, at: utc) }
        }
        let answer = caller.map { RigEffect.reply(.trash(reply), to: $0) }
        return [.act(changes, of: caller, then: [answer].compactMap(\.self) + ids.map { .archive($0, then: []) })]
    }

    /// Those of captures of which nothing is thrown away by itself now.
    package func spared(of ids: [UniqueID]) -> Set<UniqueID> {
        Set(ids.filter { annotated[$0] != nil || objection(toTrashing: $0) != nil })
    }

    /// Why a capture cannot be deleted or put back now; nil where it can.
    private func objection(toTrashing id: UniqueID) -> String? {
        // What the catalogue said of it may be older than what is said now.
        let isComing = "photos of capture \(id) are still to come; try again when they are there."
        guard !loading.contains(id) else { return isComing }
        guard let record = captures[id] else { return nil }
        guard record.state.isFinal else { return "capture \(id) is under way; wait for its end, or cancel it." }
        let isDelivering = record.parts.contains { name, part in
            !part.isSettled || !part.pending.isEmpty && nodes[name]?.isConnected == true
        }
        return isDelivering ? isComing : nil
    }
}
