/// Which photos an operator asks for; a field that is left out does not restrict them.
package struct PhotoFilter: Codable, Sendable, Hashable {
    /// The captures whose photos are meant; their order and limit do not count.
    package var captures = CaptureFilter()
    /// The nodes that took them.
    package var nodes: [NodePattern] = []
    /// The exposures that they come from, 1 for the first.
    package var steps: [Int] = []
    /// Their formats.
    package var formats: [PhotoFormat] = []
    /// What became of them.
    package var states: [PhotoState] = []
    /// What was found of them: `verified`, `mismatch` or `unverifiable`.
    package var verification: String?
    /// The least rating, 1 to 5; a photo that has none has that of its capture.
    package var minRating: Int?
    /// Whether they are rejected, by themselves or with their capture.
    package var isRejected: Bool?
    /// The most photos to return, those of the newest captures.
    package var limit = 1000

    package init() {}

    /// What a client leaves out has its default.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try values.decodeIfPresent(Value.self, forKey: key)
        }
        captures = try read(.captures) ?? CaptureFilter()
        (nodes, steps, formats) = try (read(.nodes) ?? [], read(.steps) ?? [], read(.formats) ?? [])
        (states, verification) = try (read(.states) ?? [], read(.verification))
        (minRating, isRejected) = try (read(.minRating), read(.isRejected))
        limit = try read(.limit) ?? 1000
    }
}

/// What became of a photo that is owed.
package enum PhotoState: String, Codable, Sendable, Hashable, CaseIterable {
    /// It is still to come from its node.
    case pending
    /// It is in the library.
    case stored
    /// There is none, for a reason.
    case failed
    /// It was in the library, until somebody deleted it.
    case deleted
}
