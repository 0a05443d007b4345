package import CaptureModel

/// operator -> coordinator: have this node's board blink.
package struct IdentifyRequest: OperatorMessage, Hashable {
    /// The nodes as they are: whether somebody sees the light, nobody here knows.
    package typealias Reply = NodesReply
    package static let type = "identifyRequest"
    /// The node, which must be there and have a light.
    package var node: NodeName
    /// For how long, 1 to ``Identify/longest``.
    package var seconds: Int

    package init(node: NodeName, seconds: Int) {
        self.node = node
        self.seconds = seconds
    }
}
