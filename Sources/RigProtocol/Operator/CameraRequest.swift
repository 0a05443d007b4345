package import CaptureModel

/// operator -> coordinator: what these nodes' cameras are set to, or set them.
package struct CameraRequest: OperatorMessage, Hashable {
    package typealias Reply = CameraReply
    package static let type = "cameraRequest"
    /// The nodes, by name or pattern; of neither these nor groups: all.
    package var nodes: [NodePattern]?
    /// Groups of the rig.
    package var groups: [String]?
    /// What is to be done.
    package var act: CameraOrder.Act
    /// With ``CameraOrder/Act/set``.
    package var settings: CameraSettings?

    package init(
        nodes: [NodePattern]? = nil, groups: [String]? = nil, act: CameraOrder.Act, settings: CameraSettings? = nil
    ) {
        (self.nodes, self.groups, self.act, self.settings) = (nodes, groups, act, settings)
    }

    /// Which nodes, in words.
    package var subject: String {
        let words = (nodes ?? []).map(\.rawValue) + (groups ?? []).map { "group \($0)" }
        return words.isEmpty ? "*" : words.joined(separator: ", ")
    }
}
