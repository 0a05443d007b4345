/// Whose exposure all nodes use.
package enum MeteringSource: Hashable, Sendable, Codable {
    /// The median of what the nodes have metered.
    case rigMedian
    case node(NodeName)
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
