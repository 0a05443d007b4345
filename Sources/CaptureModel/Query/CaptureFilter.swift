/// Which captures an operator asks for; a field that is left out does not restrict them.
package struct CaptureFilter: Codable, Sendable, Hashable {
    /// What the id begins or ends with, in decimal digits.
    package var digits: String?
    /// The exact name of the session.
    package var session: String?
    /// The exact name of the subject.
    package var subject: String?
    /// Every one of these labels with this value.
    package var labels: [String: String] = [:]
    /// Nodes of which at least one took part.
    package var nodes: [NodePattern] = []
    /// The states that a capture may be in now.
    package var states: [CaptureState] = []
    /// The exact name of the plan.
    package var plan: String?
    /// The operator who asked for it.
    package var firedBy: NodeName?
    /// The id, the model or the serial number of a camera that took part.
    package var camera: String?
    /// What was found of at least one photo: `verified`, `mismatch` or `unverifiable`.
    package var verification: String?
    /// Words in the reason of the capture, of a node or of a photo; upper and lower case of ASCII are the same.
    package var reason: String?
    /// The code of an error of a node or of a photo.
    package var error: CaptureError.Code?
    /// The least that the nodes were apart in at least one step, in nanoseconds.
    package var minSpreadNanoseconds: Int64?
    /// The least rating, 1 to 5.
    package var minRating: Int?
    /// Whether neither they nor photos of theirs are rated; nil where that does not count.
    package var isUnrated: Bool?
    /// Nobody has said anything of them, or put them back, from this time on.
    package var untouchedSince: UTCTime?
    /// Whether they are rejected.
    package var isRejected: Bool?
    /// Whether they were deleted as a whole; nil where that counts only for captures that are asked for by their ids,
    /// which are found in any case.
    package var isDeleted: Bool?
    /// The earliest acceptance, inclusive.
    package var since: Instant?
    /// The latest acceptance, exclusive.
    package var until: Instant?
    /// Which come first, and are returned where not all are.
    package var order = Order.newest
    /// The most captures to return.
    package var limit = 50

    /// An order of captures.
    package enum Order: String, Codable, Sendable, Hashable, CaseIterable {
        /// The newest first.
        case newest
        /// Those first whose nodes were furthest apart; captures without a spread last.
        case spread
    }

    package init() {}

    /// What a client leaves out has its default.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try values.decodeIfPresent(Value.self, forKey: key)
        }
        (digits, session, labels) = try (read(.digits), read(.session), read(.labels) ?? [:])
        (nodes, states, plan) = try (read(.nodes) ?? [], read(.states) ?? [], read(.plan))
        (firedBy, camera, verification) = try (read(.firedBy), read(.camera), read(.verification))
        (reason, error) = try (read(.reason), read(.error))
        (subject, minRating, isRejected) = try (read(.subject), read(.minRating), read(.isRejected))
        (isUnrated, isDeleted) = try (read(.isUnrated), read(.isDeleted))
        untouchedSince = try read(.untouchedSince)
        (minSpreadNanoseconds, since, until) = try (read(.minSpreadNanoseconds), read(.since), read(.until))
        (order, limit) = try (read(.order) ?? .newest, read(.limit) ?? 50)
    }
}
