package import CaptureModel

/// operator -> coordinator: delete captures or photos, or look into the trash, take out of it, or empty it.
package struct TrashRequest: CatalogueMessage, Hashable {
    package typealias Reply = TrashReply
    package static let type = "trashRequest"
    /// The most captures that one request may be about, and the most photos.
    package static let (mostCaptures, mostPhotos) = (1000, 10_000)

    /// What is wanted.
    package enum Act: String, Codable, Sendable, CaseIterable {
        /// Put into the trash.
        case delete
        /// Say what is in the trash.
        case list
        /// Put back.
        case recover
        /// Remove from the trash for good: of many captures, the oldest first, as many as one request may be about.
        case empty
        /// Say that the coordinator's clock is right, by which retention throws away, though it has jumped.
        case trustClock
    }

    /// What is wanted.
    package var act: Act
    /// The captures, of which only ``PhotoFilter/captures`` counts, or the photos.
    package var filter: PhotoFilter
    /// Whether photos are deleted, rather than whole captures.
    package var isOfPhotos = false
    /// What was deleted later stays in the trash; nil for all.
    package var deletedUntil: Instant?
    /// Puts back only what was deleted from this time on; nil for all.
    package var deletedSince: UTCTime?
    /// Whether nothing is done, and only said what would be.
    package var isDryRun = false

    package init(_ act: Act, _ filter: PhotoFilter) { (self.act, self.filter) = (act, filter) }

    /// What a client leaves out has its default.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        act = try values.decode(Act.self, forKey: .act)
        filter = try values.decodeIfPresent(PhotoFilter.self, forKey: .filter) ?? PhotoFilter()
        isOfPhotos = try values.decodeIfPresent(Bool.self, forKey: .isOfPhotos) ?? false
        deletedUntil = try values.decodeIfPresent(Instant.self, forKey: .deletedUntil)
        deletedSince = try values.decodeIfPresent(UTCTime.self, forKey: .deletedSince)
        isDryRun = try values.decodeIfPresent(Bool.self, forKey: .isDryRun) ?? false
    }

    /// Whether nothing is changed by it.
    package var isQuestion: Bool { act == .list || isDryRun }

    /// The least role that may have it done: what is emptied is gone.
    package var role: Role { isQuestion ? .watch : act == .empty || act == .trustClock ? .administer : .operate }

    /// The captures that it is about, in words.
    package var subject: String { filter.captures.subject }
}

/// coordinator -> operator: what was deleted, put back or removed, or what is in the trash.
package struct TrashReply: WireMessage, Hashable {
    package static let type = "trashReply"
    /// What it was of each capture, oldest capture first.
    package var captures: [DeletablePhotos]
    /// How many captures match in all; those beyond the limit of one request are left as they are.
    package var matchCount: Int
    /// Up to when what was deleted counted, by the coordinator's clock: for the same question once more.
    package var deletedUntil: UTCTime?

    package init(_ captures: [DeletablePhotos], matchCount: Int, deletedUntil: UTCTime? = nil) {
        (self.captures, self.matchCount, self.deletedUntil) = (captures, matchCount, deletedUntil)
    }

    /// How many photos these are.
    package var photoCount: Int { captures.reduce(0) { $0 + $1.photoCount } }
    /// Their size together.
    package var byteCount: Int { captures.reduce(0) { $0 + $1.byteCount } }
    /// How much it was.
    package var words: String { "photos: \(photoCount), captures: \(captures.count)" }
}
