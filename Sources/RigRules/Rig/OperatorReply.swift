package import RigProtocol

/// An answer to an operator.
package enum OperatorReply: Sendable, Hashable {
    case fired(FireReply)
    case checked(CheckReply)
    case armed(ArmReply)
    case annotated(AnnotateReply)
    case trash(TrashReply)
    case nodes(NodesReply)
    case clocks(ClocksReply)
    case pending(PendingReply)
    case cameras(CameraReply)
    case refused(Refusal)

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .fired(let body): body
        case .checked(let body): body
        case .armed(let body): body
        case .annotated(let body): body
        case .trash(let body): body
        case .nodes(let body): body
        case .clocks(let body): body
        case .pending(let body): body
        case .cameras(let body): body
        case .refused(let body): body
        }
    }
}
