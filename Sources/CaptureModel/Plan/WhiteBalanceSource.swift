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

extension WhiteBalanceSource {
    private enum CodingKeys: String, CodingKey { case node, greyCard }

    /// Reads `{"greyCard": "north"}`, as plan files have it, and what it writes.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self = values.contains(.greyCard) ? .greyCard(try values.name(.greyCard)) : .node(try values.name(.node))
    }
}
