package import CaptureModel

/// operator -> coordinator: prepare this plan, and hold it until a ``ReleaseRequest`` comes.
///
/// It is answered once every node that takes part holds everything ready, or with a refusal.
package struct ArmRequest: OperatorMessage, Hashable {
    package typealias Reply = ArmReply
    package static let type = "armRequest"
    /// What to prepare, without an appointment; it may wait for nodes that are busy.
    package var fire: FireRequest

    package init(_ fire: FireRequest) { self.fire = fire }
}

/// coordinator -> operator: the nodes hold everything ready.
package struct ArmReply: WireMessage, Hashable {
    package static let type = "armReply"
    /// The capture's identity, by which it is fired or cancelled.
    package var uniqueID: UniqueID
    /// The nodes that hold it ready.
    package var nodes: [NodeName]
    /// Why the others do not, one sentence each.
    package var objections: [String]
    /// From the shutter to the first exposure, in nanoseconds; up to a frame more, as it begins on the rig's grid.
    package var leadNanoseconds: Int64
    /// What somebody may not expect, in lines; nil for nothing.
    package var remarks: [String]?

    package init(uniqueID: UniqueID, nodes: [NodeName], objections: [String], leadNanoseconds: Int64) {
        (self.uniqueID, self.nodes) = (uniqueID, nodes)
        (self.objections, self.leadNanoseconds) = (objections, leadNanoseconds)
    }
}

/// operator -> coordinator: fire what is armed.
package struct ReleaseRequest: OperatorMessage, Hashable {
    package typealias Reply = FireReply
    package static let type = "releaseRequest"
    /// Which capture; nil where one alone is armed.
    package var uniqueID: UniqueID?

    package init(uniqueID: UniqueID? = nil) { self.uniqueID = uniqueID }
}
