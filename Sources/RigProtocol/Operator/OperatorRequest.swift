package import CaptureModel

/// What an operator asks.
package enum OperatorRequest: WireReadable, Hashable {
    case status
    case fire(FireRequest)
    case check(CheckRequest)
    case arm(ArmRequest)
    case release(ReleaseRequest)
    case annotate(AnnotateRequest)
    case trash(TrashRequest)
    case noteExport(NoteExportRequest)
    case geometry(GeometryRequest)
    case keepGeometry(KeepGeometryRequest)
    case cancel(UniqueID)
    case nodes
    case clocks
    case pending
    case moveStarts(MoveStartsRequest)
    case identify(IdentifyRequest)
    case camera(CameraRequest)
    case captures(CaptureFilter)
    case photos(PhotoFilter)
    case piece(PieceRequest)
    case previews(PreviewsRequest)
    case sessions(SessionsRequest)
    case labels(LabelsRequest)
    case show(UniqueID)
    case news(after: Int64)
    case boards
    case invite(InviteRequest)
    case member(MemberRequest)
    case operators
    case operatorChange(OperatorChangeRequest)
    case audit(AuditRequest)
    case metrics

    /// Whether it is answered in its turn, beside the others.
    package var isQuestion: Bool { body is any CatalogueMessage }

    /// The least role that may have it done.
    package var role: Role {
        switch self {
        case .status, .check, .nodes, .clocks, .pending, .captures, .photos, .piece, .previews, .sessions, .labels,
            .show, .news, .boards, .metrics, .noteExport, .geometry:
            .watch
        case .camera(let request): request.act == .show ? .watch : .operate
        case .trash(let request): request.role
        case .fire, .arm, .release, .annotate, .cancel, .moveStarts, .identify, .keepGeometry: .operate
        case .invite, .member, .operators, .operatorChange, .audit: .administer
        }
    }

    /// What is to be done, to what, and how, where it is an act; nil for a question.
    package var act: (name: String, subject: String, manner: String?)? {
        switch self {
        case .fire(let request): ("fire", request.plan.name, request.plan.chosen.map { "of \($0)" })
        case .arm(let request): ("arm", request.fire.plan.name, request.fire.plan.chosen.map { "of \($0)" })
        case .release(let request): ("release", request.uniqueID?.description ?? "", nil)
        case .annotate(let request): ("annotate", request.subject, request.annotation.words)
        case .trash(let request): request.isQuestion ? nil : (request.act.rawValue, request.subject, nil)
        case .noteExport(let request): ("export", request.uniqueID.description, request.words)
        case .keepGeometry(let request):
            ("rig", request.geometry.captures.first?.description ?? "", "\(request.geometry.cameras.count) cameras")
        case .cancel(let id): ("cancel", id.description, nil)
        case .moveStarts(let request): ("moveStarts", request.nanoseconds.keys.sorted().joined(), nil)
        case .identify(let request): ("identify", request.node.rawValue, nil)
        case .camera(let request):
            request.act == .show
                ? nil : ("camera \(request.act.rawValue)", request.subject, request.settings?.words)
        case .invite(let request):
            ("invite", request.names ?? "", "boards: \(request.count), seconds: \(request.seconds)")
        case .member(let request): (request.act.rawValue, request.subject, request.newName.map { "as \($0)" })
        case .operatorChange(let request): (request.act, request.name.rawValue, request.role.map { "may \($0)" })
        case .status, .check, .nodes, .clocks, .pending, .captures, .photos, .piece, .previews, .sessions, .labels,
            .show, .news, .boards, .operators, .audit, .metrics, .geometry:
            nil
        }
    }

    /// The message itself.
    package var body: any WireMessage {
        switch self {
        case .status: StatusRequest()
        case .fire(let body): body
        case .check(let body): body
        case .arm(let body): body
        case .release(let body): body
        case .annotate(let body): body
        case .trash(let body): body
        case .noteExport(let body): body
        case .geometry(let body): body
        case .keepGeometry(let body): body
        case .cancel(let id): CancelRequest(uniqueID: id)
        case .nodes: NodesRequest()
        case .clocks: ClocksRequest()
        case .pending: PendingRequest()
        case .moveStarts(let body): body
        case .identify(let body): body
        case .camera(let body): body
        case .captures(let filter): CapturesRequest(filter: filter)
        case .photos(let filter): PhotosRequest(filter: filter)
        case .piece(let body): body
        case .previews(let body): body
        case .sessions(let body): body
        case .labels(let body): body
        case .show(let id): ShowRequest(uniqueID: id)
        case .news(let number): NewsRequest(after: number)
        case .boards: BoardsRequest()
        case .invite(let body): body
        case .member(let body): body
        case .operators: OperatorsRequest()
        case .operatorChange(let body): body
        case .audit(let body): body
        case .metrics: MetricsRequest()
        }
    }

    package init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case StatusRequest.type: self = .status
        case FireRequest.type: self = .fire(try FireRequest(from: decoder))
        case CheckRequest.type: self = .check(try CheckRequest(from: decoder))
        case ArmRequest.type: self = .arm(try ArmRequest(from: decoder))
        case ReleaseRequest.type: self = .release(try ReleaseRequest(from: decoder))
        case AnnotateRequest.type: self = .annotate(try AnnotateRequest(from: decoder))
        case TrashRequest.type: self = .trash(try TrashRequest(from: decoder))
        case NoteExportRequest.type: self = .noteExport(try NoteExportRequest(from: decoder))
        case GeometryRequest.type: self = .geometry(try GeometryRequest(from: decoder))
        case KeepGeometryRequest.type: self = .keepGeometry(try KeepGeometryRequest(from: decoder))
        case CancelRequest.type: self = .cancel(try CancelRequest(from: decoder).uniqueID)
        case NodesRequest.type: self = .nodes
        case ClocksRequest.type: self = .clocks
        case PendingRequest.type: self = .pending
        case MoveStartsRequest.type: self = .moveStarts(try MoveStartsRequest(from: decoder))
        case IdentifyRequest.type: self = .identify(try IdentifyRequest(from: decoder))
        case CameraRequest.type: self = .camera(try CameraRequest(from: decoder))
        case CapturesRequest.type: self = .captures(try CapturesRequest(from: decoder).filter)
        case PhotosRequest.type: self = .photos(try PhotosRequest(from: decoder).filter)
        case PieceRequest.type: self = .piece(try PieceRequest(from: decoder))
        case PreviewsRequest.type: self = .previews(try PreviewsRequest(from: decoder))
        case SessionsRequest.type: self = .sessions(try SessionsRequest(from: decoder))
        case LabelsRequest.type: self = .labels(try LabelsRequest(from: decoder))
        case ShowRequest.type: self = .show(try ShowRequest(from: decoder).uniqueID)
        case NewsRequest.type: self = .news(after: try NewsRequest(from: decoder).after)
        case BoardsRequest.type: self = .boards
        case InviteRequest.type: self = .invite(try InviteRequest(from: decoder))
        case MemberRequest.type: self = .member(try MemberRequest(from: decoder))
        case OperatorsRequest.type: self = .operators
        case OperatorChangeRequest.type: self = .operatorChange(try OperatorChangeRequest(from: decoder))
        case AuditRequest.type: self = .audit(try AuditRequest(from: decoder))
        case MetricsRequest.type: self = .metrics
        default: throw WireError(.unknownType, "An operator does not send '\(header.type)'.")
        }
    }
}
