/// What to capture, as an operator writes it: the bracket, the formats, the policy, and how the rig keeps together.
package struct Plan: Hashable, Sendable, Codable {
    package var name: String
    package var bracket: Bracket
    package var formats: [PhotoFormat]
    package var policy: CapturePolicy
    /// From the decision to fire to the first exposure, in nanoseconds; nil for what the rig needs.
    package var lead: Int64?
    /// The most that the nodes may begin a step apart, in nanoseconds; a capture that misses it is partial.
    package var maxSpread: Int64?
    /// Nodes that fire later than the others.
    package var offsets: [FiringOffset]?
    /// Whose exposure the nodes use; nil for each its own.
    package var metering: MeteringSource?
    /// Whose white balance the nodes use; nil for each its own.
    package var whiteBalance: WhiteBalanceSource?

    /// False where a strobe or a lamp changes the light, so that pictures prove no exposure; nil for true.
    package var verify: Bool?

    package init(name: String, bracket: Bracket, formats: [PhotoFormat] = [.jpeg], policy: CapturePolicy = .all) {
        self.name = name
        self.bracket = bracket
        self.formats = formats
        self.policy = policy
    }

    /// How many photos each node owes.
    package var expectedPhotoCount: Int { bracket.count * formats.count }

    /// By how much a node fires later than the fire time, in nanoseconds: of those that name it the closest one counts.
    package func offset(of node: String) -> Int64 {
        let applying = (offsets ?? []).filter { $0.applies(to: node) }
        return applying.first { $0.nodes == node }?.nanoseconds
            ?? applying.max { $0.nodes.count < $1.nodes.count }?.nanoseconds ?? 0
    }

    /// The nodes whose exposure or white balance all of them use.
    package var sources: [String] {
        var sources: [String] = []
        if case .node(let name) = metering { sources.append(name) }
        if let whiteBalance { sources.append(whiteBalance.node) }
        return sources
    }

    /// What a node is asked for.
    package func settings(_ id: UniqueID) -> PhotoBracketSettings {
        var settings = PhotoBracketSettings(uniqueID: id, formats: formats, bracketedSettings: bracket)
        settings.photo.isExposureVerificationEnabled = verify ?? true
        return settings
    }

    /// Whether the nodes must agree on values before they can fire.
    package var sharesSettings: Bool { metering != nil || whiteBalance != nil }
}
