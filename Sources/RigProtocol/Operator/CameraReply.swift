package import CaptureModel

/// coordinator -> operator: what came of a ``CameraRequest``, node by node.
package struct CameraReply: WireMessage, Hashable {
    package static let type = "cameraReply"

    /// What one node said.
    package struct Answer: Codable, Hashable, Sendable {
        /// Which one.
        package var node: NodeName
        /// What its camera is set to now; nil where nobody knows.
        package var state: CameraState?
        /// Why it was not done there; nil where it was.
        package var error: CaptureError?

        package init(node: NodeName, state: CameraState? = nil, error: CaptureError? = nil) {
            (self.node, self.state, self.error) = (node, state, error)
        }
    }

    /// In the order of their names.
    package var nodes: [Answer]

    package init(nodes: [Answer]) { self.nodes = nodes }

    /// Whether it was done on none.
    package var isVain: Bool { !nodes.isEmpty && nodes.allSatisfy { $0.error != nil } }

    /// What did not work where, in words; nil where all did.
    package var words: String? {
        let failed = nodes.filter { $0.error != nil }.map(\.node)
        return failed.isEmpty ? nil : "not on \(failed.folded)"
    }
}
