package import CaptureModel

/// How a node's board and camera are.
package struct BoardReport: Codable, Sendable, Hashable {
    /// The time since the node's program started, in seconds.
    package var uptimeSeconds: Int
    /// The temperature of the board's hottest part, in degrees Celsius; nil where the board does not tell.
    package var temperature: Double?
    /// Whether the board runs slower than it could, because it is hot; nil where it does not tell.
    package var isThrottled: Bool?
    /// Whether its supply voltage is too low; nil where it does not tell.
    package var isUndervolted: Bool?
    /// What the board calls the light that it can be found by; nil where it has none that the node may switch.
    package var light: String?
    /// What its camera is set to by hand, in words; nil where it is not.
    package var setByHand: String?
    /// What its camera has delivered; nil where it has none.
    package var camera: CameraCounts?

    package init(
        uptimeSeconds: Int, temperature: Double? = nil, isThrottled: Bool? = nil, isUndervolted: Bool? = nil,
        light: String? = nil, camera: CameraCounts? = nil
    ) {
        (self.uptimeSeconds, self.light, self.camera) = (uptimeSeconds, light, camera)
        (self.temperature, self.isThrottled, self.isUndervolted) = (temperature, isThrottled, isUndervolted)
    }
}
