import CaptureModel

extension OperatorRequest {
    /// The same with what people typed in the composed form of Unicode, whichever way it came.
    package var composed: OperatorRequest {
        switch self {
        case .fire(let request): .fire(request.composed)
        case .check(var request):
            {
                request.plan.name = request.plan.name.composed
                (request.session, request.subject) = (request.session?.composed, request.subject?.composed)
                request.labels = request.labels?.composed
                return .check(request)
            }()
        case .arm(let request): .arm(ArmRequest(request.fire.composed))
        case .annotate(var request):
            {
                (request.filter, request.annotation) = (request.filter.composed, request.annotation.composed)
                return .annotate(request)
            }()
        case .trash(var request):
            {
                request.filter = request.filter.composed
                return .trash(request)
            }()
        case .captures(let filter): .captures(filter.composed)
        case .photos(let filter): .photos(filter.composed)
        case .status, .release, .noteExport, .geometry, .keepGeometry, .cancel, .nodes, .clocks, .pending, .moveStarts,
            .identify, .camera, .piece, .previews, .sessions, .labels, .show, .news, .boards, .invite, .member,
            .operators, .operatorChange, .audit, .metrics:
            self
        }
    }
}

extension FireRequest {
    fileprivate var composed: FireRequest {
        var request = self
        request.plan.name = plan.name.composed
        (request.session, request.subject) = (session?.composed, subject?.composed)
        request.labels = labels.composed
        return request
    }
}
