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
