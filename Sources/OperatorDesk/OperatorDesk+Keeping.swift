import CaptureModel
import Catalogue
import Posix
import RigProtocol
import RigRules

/// What people do with captures and photos afterwards: which are meant is found out here, before the rig is told.
extension OperatorDesk {
    func take(_ request: AnnotateRequest, _ caller: Caller) async throws {
        if let problem = request.problem { throw Refusal(.invalid, problem) }
        var filter = request.filter
        (filter.limit, filter.captures.limit) = (AnnotateRequest.mostPhotos, AnnotateRequest.mostCaptures)
        if request.isOfPhotos {
            let photos = try await photos(filter).map(\.id)
            await rig.take(.annotateRequested(caller, request.annotation, captures: [], photos: photos))
        } else {
            let captures = try all(of: try await catalogue.captures(filter.captures), "capture").map(\.uniqueID)
            await rig.take(.annotateRequested(caller, request.annotation, captures: captures, photos: []))
        }
    }

    func take(_ request: TrashRequest, _ caller: Caller) async throws {
        var filter = request.filter
        (filter.limit, filter.captures.limit) = (TrashRequest.mostPhotos, TrashRequest.mostCaptures)
        guard request.act != .trustClock else {
            try await trustClock()
            return rig.reply(TrashReply([], matchCount: 0), to: caller)
        }
        let (found, act) = try await consider(request, filter)
        var reply = TrashReply(
            found.items, matchCount: found.matchCount, deletedUntil: request.deletedUntil?.time(Self.utc))
        if case .empty(let last) = act { reply.deletedUntil = last }
        guard !request.isQuestion, let act else { return rig.reply(reply, to: caller) }
        await rig.take(.trashRequested(caller, TrashOrder(act, found.items.map(\.uniqueID), by: caller.user), reply))
    }

    /// What a request is about, and what is to be done; nil for nothing.
    private func consider(
        _ request: TrashRequest, _ filter: PhotoFilter
    ) async throws -> (Found<DeletablePhotos>, TrashOrder.Act?) {
        let captures = filter.captures
        switch request.act {
        case .delete where request.isOfPhotos:
            var stored = filter
            stored.states = [.stored]
            let photos = try await photos(stored)
            return (DeletablePhotos.grouped(photos), .deletePhotos(photos.map(\.id)))
        case .delete:
            try await refuseDeleted(captures)
            let found = try await catalogue.deletable(captures)
            _ = try all(of: found, "capture")
            return (found, .delete)
        case .list, .trustClock:
            return (try await catalogue.inTrash(captures, deletedUntil: request.deletedUntil?.time(Self.utc)), nil)
        case .empty:
            let last = (request.deletedUntil ?? .fromNow(0)).time(Self.utc)
            let found = try await emptiable(captures, deletedUntil: last)
            return (found, found.items.isEmpty ? nil : .empty(deletedUntil: last))
        case .recover:
            let found = try await catalogue.inTrash(captures, since: request.deletedSince, isWithEmpty: true)
            guard found.matchCount > 0 else { throw Refusal(.notFound, "Nothing of that is in the trash.") }
            for capture in try all(of: found, "capture") { try await refuseLost(capture) }
            return (found, .recover(deletedSince: request.deletedSince))
        }
    }

    /// Says of a capture that was deleted already when that was.
    private func refuseDeleted(_ captures: CaptureFilter) async throws {
        guard captures.digits != nil, let known = try await catalogue.captures(captures).items.first,
            let time = known.deletedAt
        else { return }
        let user = known.deletedBy.map { " by \($0)" } ?? ""
        throw Refusal(
            .notFound,
            "Capture \(known.uniqueID) was deleted on \(time.day) at \(time.timeOfDay) UTC\(user); `volley trash` has what "
                + "of it can be put back.")
    }

    /// What can be removed from the trash; not that of which the files are still on their way there.
    func emptiable(_ captures: CaptureFilter, deletedUntil last: UTCTime) async throws -> Found<DeletablePhotos> {
        var found = try await catalogue.inTrash(captures, deletedUntil: last)
        var arranged: [DeletablePhotos] = []
        let withheld = await rig.withheld(of: found.items.map(\.uniqueID))
        for capture in found.items where !withheld.contains(capture.uniqueID) {
            // One whose folder cannot be read does not hold up the others.
            if let trash = try? await trash(capture), trash.isArranged { arranged.append(capture) }
        }
        found.items = arranged
        return found
    }

    /// Refuses to put back a capture whose files somebody took out of the trash by hand.
    private func refuseLost(_ capture: DeletablePhotos) async throws {
        let lost = try await trash(capture).lost
        guard let first = lost.first else { return }
        throw Refusal(
            .unavailable,
            "Nothing was put back: \(first) is no longer in the library's trash"
                + (lost.count > 1 ? ", nor are \(lost.count - 1) others of capture \(capture.uniqueID)." : "."))
    }

    private func trash(_ capture: DeletablePhotos) async throws -> (isArranged: Bool, lost: [String]) {
        let places = try await catalogue.photoPlaces(of: capture.uniqueID)
        return try await OSThread.run(name: "trash") { [rig] in
            try rig.trash(places, of: capture.uniqueID, createdAt: capture.createdAt)
        }
    }

    private func photos(_ filter: PhotoFilter) async throws -> [FoundPhoto] {
        let photos = try all(of: try await catalogue.photos(filter), "photo")
        let most = AnnotateRequest.mostCaptures
        guard Set(photos.map(\.uniqueID)).count <= most else {
            throw Refusal(.invalid, "Nothing was changed: these are photos of more than \(most) captures.")
        }
        return photos
    }

    /// What was found, which must be something, and not more than was looked for.
    private func all<Item>(of found: Found<Item>, _ noun: String) throws -> [Item] {
        guard found.matchCount > 0 else {
            throw Refusal(.notFound, (["No \(noun) matches."] + found.remarks).joined(separator: " "))
        }
        guard found.items.count == found.matchCount else {
            throw Refusal(
                .invalid,
                "Nothing was changed: more than \(found.items.count) \(noun)s match. Narrow the choice.")
        }
        return found.items
    }
}

extension DeletablePhotos {
    /// Photos by their captures.
    static func grouped(_ photos: [FoundPhoto]) -> Found<DeletablePhotos> {
        var captures: [UniqueID: DeletablePhotos] = [:]
        for found in photos {
            var capture =
                captures[found.uniqueID]
                ?? DeletablePhotos(
                    uniqueID: found.uniqueID, session: found.session, createdAt: found.createdAt, deletedAt: nil,
                    deletedBy: nil, photoCount: 0, byteCount: 0)
            capture.photoCount += 1
            capture.byteCount += found.photo.record.file?.byteCount ?? 0
            captures[found.uniqueID] = capture
        }
        let items = captures.values.sorted { $0.uniqueID < $1.uniqueID }
        return Found(items: items, matchCount: items.count)
    }
}
