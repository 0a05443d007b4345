/// Whose exposure all nodes use.
package enum MeteringSource: Hashable, Sendable, Codable {
    /// The median of what the nodes have metered.
    case rigMedian
    case node(NodeName)
}

/// Whose white balance all nodes use.
package enum WhiteBalanceSource: Hashable, Sendable, Codable {
    case node(NodeName)
    /// The gains that make the grey card in the middle of this node's picture grey.
    case greyCard(NodeName)

    /// The node that gives it.
    package var node: NodeName {
        switch self {
        case .node(let name), .greyCard(let name): name
        }
    }
}

/// Values that all nodes of a capture use.
package struct SharedSettings: Hashable, Sendable, Codable {
    /// Nil where each node uses its own.
    package var exposure: Exposure?
    /// Nil where each node uses its own.
    package var whiteBalance: WhiteBalance?

    package init(exposure: Exposure? = nil, whiteBalance: WhiteBalance? = nil) {
        self.exposure = exposure
        self.whiteBalance = whiteBalance
    }
}
