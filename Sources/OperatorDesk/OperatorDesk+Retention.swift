import CaptureModel
import Catalogue
import Logging
import Posix
import RigProtocol
import RigRules

/// What a coordinator throws away by itself; nil for nothing. In nanoseconds.
package struct Retention: Sendable, Hashable {
    /// What has been in the trash for longer is removed for good.
    package var trash: Int64?
    /// What is rejected, and older than this, goes into the trash.
    package var rejected: Int64?
    /// Captures that are older go into the trash, unless they or photos of theirs are rated.
    package var captures: Int64?

    package init(trash: Int64? = nil, rejected: Int64? = nil, captures: Int64? = nil) {
        (self.trash, self.rejected, self.captures) = (trash, rejected, captures)
    }
}

extension OperatorDesk {
    /// The name in the audit, where the coordinator does something by itself.
    private static let name: NodeName = "retention"

    /// Throws away what is due; as much of it as one request may be about.
    ///
    /// - Returns: whether there may be more.
    package func throwAway(_ retention: Retention) async -> Bool {
        var isMore = false
        let now = UTCTime(rawValue: Clocks.microsecondsSinceEpoch())
        do {
            if let age = retention.captures {
                var filter = CaptureFilter()
                (filter.until, filter.untouchedSince) = (now - age, now - age)
                isMore = try await delete(filter, "captures older than \(Self.words(age))")
            }
            if let age = retention.rejected {
                var filter = CaptureFilter()
                (filter.isRejected, filter.until, filter.untouchedSince) = (true, now - age, now - age)
                isMore = try await delete(filter, "rejected captures older than \(Self.words(age))") || isMore
                isMore =
                    try await deleteRejectedPhotos(until: now - age, "rejected photos older than \(Self.words(age))")
                    || isMore
            }
            if let age = retention.trash {
                var filter = CaptureFilter()
                filter.limit = TrashRequest.mostCaptures
                let found = try await emptiable(filter, deletedUntil: now - age)
                try await order(
                    .empty(deletedUntil: now - age), found.items, "in the trash for \(Self.words(age))")
                isMore = found.matchCount > found.items.count || isMore
            }
        } catch {
            logger.error("retention: \(Catalogue.sentence(for: error))")
        }
        return isMore
    }

    private func delete(_ filter: CaptureFilter, _ subject: String) async throws -> Bool {
        var filter = filter
        filter.isUnrated = true
        (filter.states, filter.limit) = (CaptureState.allCases.filter(\.isFinal), TrashRequest.mostCaptures)
        let found = try await catalogue.deletable(filter)
        try await order(.delete, found.items, subject)
        return found.matchCount > found.items.count
    }

    private func deleteRejectedPhotos(until: UTCTime, _ subject: String) async throws -> Bool {
        var filter = PhotoFilter()
        (filter.isRejected, filter.states, filter.limit) = (true, [.stored], TrashRequest.mostPhotos)
        (filter.captures.until, filter.captures.untouchedSince) = (until, until)
        // Those of captures that are rejected as a whole go with these.
        (filter.captures.isRejected, filter.captures.isUnrated) = (false, true)
        filter.captures.states = CaptureState.allCases.filter(\.isFinal)
        let found = try await catalogue.photos(filter)
        try await order(.deletePhotos(found.items.map(\.id)), DeletablePhotos.grouped(found.items).items, subject)
        return found.matchCount > found.items.count
    }

    /// Has it done, and writes down that it was.
    private func order(_ act: TrashOrder.Act, _ found: [DeletablePhotos], _ subject: String) async throws {
        // What is in the trash already is nobody's debt.
        let ids = found.map(\.uniqueID)
        let spared = if case .empty = act { Set<UniqueID>() } else { await rig.spared(of: ids) }
        let captures = found.filter { !spared.contains($0.uniqueID) }
        guard !captures.isEmpty else { return }
        let reply = TrashReply(captures, matchCount: captures.count)
        await rig.take(.trashRequested(nil, TrashOrder(act, captures.map(\.uniqueID), by: Self.name), reply))
        let name = if case .empty = act { "empty" } else { "delete" }
        logger.notice("retention: \(name), \(subject): \(reply.words)")
        try await catalogue.note(
            AuditEntry(
                at: UTCTime(rawValue: Clocks.microsecondsSinceEpoch()), user: Self.name, key: nil, act: name,
                subject: subject, arguments: "", result: AuditEntry.done, message: reply.words))
    }

    /// `30 d`, `12 h`.
    private static func words(_ age: Int64) -> String {
        let hours = age / .seconds(3600)
        return hours % 24 == 0 ? "\(hours / 24) d" : "\(hours) h"
    }
}
