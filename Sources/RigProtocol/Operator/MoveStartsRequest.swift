package import CaptureModel

/// operator -> coordinator: the timestamps of these nodes' cameras are off by this much more than they knew.
package struct MoveStartsRequest: OperatorMessage, Hashable {
    /// The nodes as they were: what moves is not waited for.
    package typealias Reply = NodesReply
    package static let type = "moveStartsRequest"
    /// For each node, what is to be added to its camera's timestamps.
    package var nanoseconds: [NodeName: Int64]
    /// For those nodes of which enough was seen, how well their starts are known after that.
    package var lamps: [NodeName: LampMeasurement]?

    package init(nanoseconds: [NodeName: Int64], lamps: [NodeName: LampMeasurement] = [:]) {
        self.nanoseconds = nanoseconds
        self.lamps = lamps
    }

    /// What each node is to be told, without numbers that cannot be genuine.
    package var moves: [(node: NodeName, move: MoveStart)] {
        nanoseconds.sorted { $0.key < $1.key }
            .map { ($0.key, MoveStart(nanoseconds: $0.value, lamp: lamps?[$0.key])) }
            .filter(\.move.isPlausible)
    }
}
