import CaptureModel
import Programs
import RigProtocol

/// What happens on a rig, for a person: a line for each step of a capture, each change of its state, and each thing that
/// went wrong.
struct NewsDigest {
    /// The captures that are remembered, the newest; those before them are over.
    private static let remembered = 64

    private struct Capture {
        /// Those that were told to fire; nil while that is not known.
        var nodes: Set<NodeName>?
        /// What was told of it last.
        var state: CaptureState?
        var reason: String?
        /// Whether it was there from its beginning: else nobody knows who has exposed what already.
        var isWhole = false
        /// Who has exposed each step; nil once that was told.
        var steps: [Int: Set<NodeName>?] = [:]
    }

    private var captures: [UniqueID: Capture] = [:]

    /// The capture whose nodes have to be known before a notice can be told; nil where nothing is missing.
    func unknownCapture(in notice: Notice) -> UniqueID? {
        guard case .event(let notice) = notice, captures[notice.event.uniqueID]?.nodes == nil
        else { return nil }
        return notice.event.uniqueID
    }

    /// Notes who takes part in a capture; nil where nobody can say.
    mutating func learn(_ id: UniqueID, _ capture: CaptureDetail?) {
        let fired = capture?.nodes.filter { $0.camera != nil } ?? []
        change(id) { known in
            known.nodes = Set((fired.isEmpty ? capture?.nodes ?? [] : fired).map(\.node))
            if capture == nil { known.isWhole = false }
        }
    }

    private mutating func change(_ id: UniqueID, _ body: (inout Capture) -> Void) {
        body(&captures[id, default: Capture()])
        if captures.count > Self.remembered, let oldest = captures.keys.min() { captures[oldest] = nil }
    }

    /// What is to be told; nothing where it is part of something else.
    mutating func lines(_ notice: Notice) -> [String] {
        switch notice {
        case .event(let notice): lines(notice)
        case .capture(let notice): lines(notice)
        case .node(let notice):
            ["node \(notice.node.name)  \(notice.node.state.rawValue)" + Self.appendix(notice.node.problem)]
        }
    }

    private static func appendix(_ reason: String?) -> String { reason.map { ": \($0)" } ?? "" }

    private mutating func lines(_ notice: EventNotice) -> [String] {
        let event = notice.event
        if let error = event.error ?? event.photo?.error {
            let step = event.sequenceCount.map { " step \($0)" } ?? ""
            return ["\(event.uniqueID)  \(notice.node)\(step): \(error.message)"]
        }
        guard event.kind == .didCapturePhoto, let step = event.sequenceCount, var capture = captures[event.uniqueID],
            let nodes = capture.nodes, capture.isWhole, capture.state?.isFinal != true,
            case var exposed? = capture.steps[step, default: []]
        else { return [] }
        exposed.insert(notice.node)
        let isWhole = exposed.isSuperset(of: nodes)
        capture.steps[step] = .some(isWhole ? nil : exposed)
        captures[event.uniqueID] = capture
        return isWhole ? ["\(event.uniqueID)  step \(step) exposed on \(Sentences.count(exposed.count, "node"))"] : []
    }

    private mutating func lines(_ notice: CaptureNotice) -> [String] {
        let (id, former) = (notice.uniqueID, captures[notice.uniqueID])
        change(id) { known in
            if former == nil { known.isWhole = !notice.state.isFinal && notice.storedPhotoCount == 0 }
            (known.state, known.reason) = (notice.state, notice.reason)
        }
        // Where only another photo was stored.
        if let former, former.state == notice.state, former.reason == notice.reason { return [] }
        let photos = "\(notice.storedPhotoCount) of \(notice.expectedPhotoCount) photos"
        let state = "\(id)  \(notice.state.rawValue)  \(photos)\(Self.appendix(notice.reason))"
        return (notice.state.isFinal ? incompleteSteps(id) : []) + [state]
    }

    private mutating func incompleteSteps(_ id: UniqueID) -> [String] {
        guard let capture = captures[id], let nodes = capture.nodes else { return [] }
        captures[id]?.steps = [:]
        return capture.steps.sorted { $0.key < $1.key }.compactMap { step, exposed in
            guard let exposed else { return nil }
            let missing = nodes.subtracting(exposed).sorted { $0.precedes($1) }
            return "\(id)  step \(step) exposed on \(exposed.count) of \(nodes.count) nodes, not on \(missing.folded)"
        }
    }
}
