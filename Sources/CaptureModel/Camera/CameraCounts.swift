/// What a camera has delivered.
package struct CameraCounts: Codable, Sendable, Hashable {
    /// How often its stream was started.
    package var streams = 0
    /// The frames that arrived, those flagged as damaged included.
    package var frames = 0
    /// The frames that the driver counted and nobody got.
    package var missingFrames = 0
    /// The frames that the driver flagged as damaged.
    package var damagedFrames = 0
    /// The exposures that had to be taken again.
    package var retakes = 0

    package init() {}
}
