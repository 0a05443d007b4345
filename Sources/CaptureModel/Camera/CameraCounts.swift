/// What a camera has delivered.
package struct CameraCounts: Codable, Sendable, Hashable {
    /// How often it was lost: unplugged, or its driver failed.
    package var losses = 0
    /// The frames that arrived, those flagged as damaged included.
    package var frames = 0
    /// The frames that the driver counted and nobody got.
    package var missingFrames = 0
    /// The frames that the driver flagged as damaged.
    package var damagedFrames = 0
    /// The exposures that had to be taken again.
    package var retakes = 0

    package init() {}

    /// Reads what is there: a release that counts something else is understood all the same.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int { try container.decodeIfPresent(Int.self, forKey: key) ?? 0 }
        (losses, frames, retakes) = (try count(.losses), try count(.frames), try count(.retakes))
        (missingFrames, damagedFrames) = (try count(.missingFrames), try count(.damagedFrames))
    }
}
