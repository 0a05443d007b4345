package import CaptureModel
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

    /// Throws away what is due; as much of it as one request may be about, and as goes in a day.
    ///
    /// - Parameters:
    ///   - utc: the wall clock; nil for this machine's.
    ///   - elapsed: CLOCK_BOOTTIME, in nanoseconds; nil for this machine's.
    /// - Returns: whether there may be more.
    package func throwAway(
        _ retention: Retention, utc: UTCTime? = nil, elapsed: Int64? = nil
    ) async -> Bool {
        do {
            let utc = utc ?? Self.utc
            try await look(utc, elapsed ?? Clocks.boottimeNanoseconds())
            guard let clock = retentionClock else { return false }
            guard clock.isTrusted else {
                logger.warning("\(retentionRemark ?? "")")
                return false
            }
            return try await throwAwayByTrustedClock(retention, utc)
        } catch {
            logger.error("retention: \(Catalogue.sentence(for: error))")
            return false
        }
    }

    /// Why nothing is thrown away; nil where the clock is trusted.
    var retentionRemark: String? {
        guard let clock = retentionClock, let stood = clock.state.doubtedFor else { return nil }
        let shown = clock.state.lookedAt.day.text(separator: "-")
        let expected = (clock.state.expectedAt ?? clock.state.lookedAt).day.text(separator: "-")
        let left = (RetentionClock.standing - stood) / .seconds(3600) + 1
        return
            "Retention throws nothing away: this coordinator's clock shows \(shown), where \(expected) was to be expected: it "
            + "jumped, or the machine was off for days. It goes on once that time has stood for \(left) h more, or at once "
            + "with `volley trash trust-clock`."
    }

    /// An administrator says that the clock is right.
    func trustClock() async throws {
        guard var clock = retentionClock, !clock.isTrusted else {
            throw Refusal(.notUnderWay, "Nothing was changed: the coordinator's clock is not in doubt.")
        }
        clock.agree()
        try await catalogue.keep(clock.state)
        retentionClock = clock
    }

    private func look(_ utc: UTCTime, _ elapsed: Int64) async throws {
        var clock: RetentionClock
        if let known = retentionClock {
            clock = known
        } else if let kept = try await catalogue.retention() {
            clock = RetentionClock(kept)
        } else {
            // Nobody has looked before: the newest capture says what time it was.
            clock = RetentionClock(RetentionState(lookedAt: try await catalogue.extent().newest ?? utc))
        }
        clock.look(utc, elapsed: elapsed)
        try await catalogue.keep(clock.state)
        retentionClock = clock
    }

    private func throwAwayByTrustedClock(_ retention: Retention, _ now: UTCTime) async throws -> Bool {
        var isMore = false
        if let age = retention.captures {
            var filter = CaptureFilter()
            (filter.until, filter.untouchedSince) = (.at(now - age), now - age)
            isMore = try await delete(filter, "captures older than \(Self.words(age))")
        }
        if let age = retention.rejected {
            var filter = CaptureFilter()
            (filter.isRejected, filter.until, filter.untouchedSince) = (true, .at(now - age), now - age)
            isMore = try await delete(filter, "rejected captures older than \(Self.words(age))") || isMore
            isMore =
                try await deleteRejectedPhotos(until: now - age, "rejected photos older than \(Self.words(age))")
                || isMore
        }
        if let age = retention.trash, let last = retentionClock?.emptiedUntil(age: age) {
            let limit = try await allowance(emptying: true, most: TrashRequest.mostCaptures)
            guard limit > 0 else { return isMore }
            var filter = CaptureFilter()
            filter.limit = limit
            let found = try await emptiable(filter, deletedUntil: last)
            try await order(.empty(deletedUntil: last), found.items, "in the trash for \(Self.words(age))")
            isMore = found.matchCount > found.items.count || isMore
        }
        return isMore
    }

    /// How many captures may go today, of those that one request may be about.
    private func allowance(emptying: Bool, most: Int) async throws -> Int {
        min(most, retentionClock?.allowance(emptying: emptying, of: try await catalogue.extent().captureCount) ?? 0)
    }

    private func delete(_ filter: CaptureFilter, _ subject: String) async throws -> Bool {
        let limit = try await allowance(emptying: false, most: TrashRequest.mostCaptures)
        guard limit > 0 else { return false }
        var filter = filter
        filter.isUnrated = true
        (filter.states, filter.limit) = (CaptureState.allCases.filter(\.isFinal), limit)
        let found = try await catalogue.deletable(filter)
        try await order(.delete, found.items, subject)
        return found.matchCount > found.items.count
    }

    private func deleteRejectedPhotos(until: UTCTime, _ subject: String) async throws -> Bool {
        let limit = try await allowance(emptying: false, most: TrashRequest.mostCaptures)
        guard limit > 0 else { return false }
        var filter = PhotoFilter()
        (filter.isRejected, filter.states, filter.limit) = (true, [.stored], TrashRequest.mostPhotos)
        (filter.captures.until, filter.captures.untouchedSince) = (.at(until), until)
        // Those of captures that are rejected as a whole go with these.
        (filter.captures.isRejected, filter.captures.isUnrated) = (false, true)
        filter.captures.states = CaptureState.allCases.filter(\.isFinal)
        let found = try await catalogue.photos(filter)
        let captures = DeletablePhotos.grouped(found.items).items.prefix(limit)
        let chosen = Set(captures.map(\.uniqueID))
        let photos = found.items.map(\.id).filter { chosen.contains($0.uniqueID) }
        try await order(.deletePhotos(photos), Array(captures), subject)
        return found.matchCount > photos.count
    }

    /// Has it done, and writes down that it was.
    private func order(_ act: TrashOrder.Act, _ found: [DeletablePhotos], _ subject: String) async throws {
        // What is in the trash already is nobody's debt.
        let ids = found.map(\.uniqueID)
        let isEmptying = if case .empty = act { true } else { false }
        let spared = isEmptying ? Set<UniqueID>() : await rig.spared(of: ids)
        let captures = found.filter { !spared.contains($0.uniqueID) }
        guard !captures.isEmpty else { return }
        // Counted first: whoever is killed in between has thrown away less than he might.
        retentionClock?.count(captures.count, emptying: isEmptying)
        if let state = retentionClock?.state { try await catalogue.keep(state) }
        let reply = TrashReply(captures, matchCount: captures.count)
        await rig.take(.trashRequested(nil, TrashOrder(act, captures.map(\.uniqueID), by: Self.name), reply))
        let name = isEmptying ? "empty" : "delete"
        logger.notice("retention: \(name), \(subject): \(reply.words)")
        try await catalogue.note(
            AuditEntry(
                at: Self.utc, user: Self.name, key: nil, act: name, subject: subject, arguments: "",
                result: AuditEntry.done, message: reply.words))
    }

    /// `30 d`, `12 h`.
    private static func words(_ age: Int64) -> String {
        let hours = age / .seconds(3600)
        return hours % 24 == 0 ? "\(hours / 24) d" : "\(hours) h"
    }
}
