import CaptureModel
import RigProtocol
import Testing

@testable import volley

@Suite("What an operator who waits is told")
struct TroubleTests {
    private func detail(_ stored: [NodeName: Int], isOver: Bool = false) -> CaptureDetail {
        let id = UniqueID(rawValue: 1)
        let summary = CaptureSummary(
            uniqueID: id, state: isOver ? .partial : .collecting, reason: nil, planName: "p", session: nil,
            firedBy: nil, labels: [:], createdAt: 1, nodeCount: stored.count, expectedPhotoCount: 9,
            storedPhotoCount: 0)
        let photos = stored.flatMap { node, count in
            (0..<count).map { number in
                let record = PhotoRecord(
                    photoCount: number + 1, sequenceCount: number + 1, format: .jpeg,
                    requested: ResolvedExposure(
                        sequenceCount: number + 1, exposureTargetBias: nil, duration: nil, iso: nil))
                return StoredPhoto(node: node, record: record, path: "photos/\(node)\(number)")
            }
        }
        return CaptureDetail(
            summary: summary, policy: "all", fireRigTime: nil,
            nodes: stored.map { node, count in
                CaptureNodeDetail(
                    node: node, state: count == 3 ? .complete : .collecting, reason: nil, expectedPhotoCount: 3)
            }, photos: photos, events: [], spreads: [])
    }

    private func node(_ name: NodeName, _ state: NodeSummary.State, _ problem: String? = nil) -> NodeSummary {
        NodeSummary(name: name, state: state, capabilities: nil, clock: nil, lastSeen: nil, problem: problem)
    }

    @Test("is which nodes still have photos, and why they do not send them")
    func waiting() {
        let nodes = [node("a", .ready), node("b", .ready), node("c", .unreachable, "Node c does not answer.")]
        let told = Trouble(of: detail(["a": 3, "b": 1, "c": 0]), nodes)
        #expect(
            told.lines == [
                "Waiting for b: 1 of 3 photos are there.",
                "Waiting for c: 0 of 3 photos are there; Node c does not answer.",
            ])
        // The next photo is no news, another cause is.
        #expect(Trouble(of: detail(["a": 3, "b": 2, "c": 0]), nodes).causes == told.causes)
        #expect(Trouble(of: detail(["a": 3, "b": 3, "c": 0]), nodes).causes != told.causes)
    }

    @Test("is nothing once the capture is over")
    func over() {
        #expect(Trouble(of: detail(["a": 0], isOver: true), []).lines.isEmpty)
    }
}
