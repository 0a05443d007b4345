package import CaptureModel

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

/// By how much a node, or a group of them, fires later: for waves, projector and strobe slots.
package struct FiringOffset: Hashable, Sendable, Codable {
    /// A node's name; with `*` at its end all names that begin so.
    package var nodes: String
    package var nanoseconds: Int64

    package init(nodes: String, nanoseconds: Int64) {
        self.nodes = nodes
        self.nanoseconds = nanoseconds
    }

    package func applies(to node: String) -> Bool {
        nodes.hasSuffix("*") ? node.hasPrefix(nodes.dropLast()) : node == nodes
    }
}

/// Whose exposure all nodes use.
package enum MeteringSource: Hashable, Sendable, Codable {
    /// The one in the middle of what the nodes have metered.
    case rigMedian
    case node(String)
}

/// Whose white balance all nodes use.
package enum WhiteBalanceSource: Hashable, Sendable, Codable {
    case node(String)
    /// The gains that make the grey card in the middle of this node's picture grey.
    case greyCard(String)

    /// The node that gives it.
    package var node: String {
        switch self {
        case .node(let name), .greyCard(let name): name
        }
    }
}

/// Values that all nodes of a capture use.
package struct SharedSettings: Hashable, Sendable, Codable {
    package var exposure: Exposure?
    package var whiteBalance: WhiteBalance?

    package init(exposure: Exposure? = nil, whiteBalance: WhiteBalance? = nil) {
        self.exposure = exposure
        self.whiteBalance = whiteBalance
    }
}
