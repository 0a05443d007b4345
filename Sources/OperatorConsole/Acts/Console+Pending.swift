import CaptureModel
import Documents
import Hummingbird
import RigProtocol
import RigTransport

/// What is still to be fired.
extension Console {
    func addPending(_ router: Router<ConsoleContext>) {
        router.get("api/v1/pending") { _, _ in
            Response.json(try await client.ask(PendingRequest()).captures.map(PendingDocument.init))
        }
    }

    /// What somebody who is about to press the shutter is to know; nil where the capture is not armed.
    func shutter(of capture: CaptureSummary) async -> String? {
        guard capture.state == .preparing else { return nil }
        do {
            let pending = try await client.ask(PendingRequest()).captures
            return pending.first { $0.uniqueID == capture.uniqueID }
                .flatMap { PendingRow.shutter($0, among: pending) }
        } catch {
            // A coordinator of a former release.
            return capture.isArmed ? "Armed." : nil
        }
    }
}

/// A capture that has not been fired, for programs.
private struct PendingDocument: Encodable {
    let uniqueID: UniqueID
    let standing: PendingReply.Capture.Standing
    let planName: String
    let session, subject: String?
    let firedBy: NodeName?
    let nodes: [NodeName]
    let at, armedUntil: WallTime?
    let leadNanoseconds: Int64?
    let waitsFor: UniqueID?

    init(_ capture: PendingReply.Capture) {
        (uniqueID, standing, planName) = (capture.uniqueID, capture.standing, capture.planName)
        (session, subject, firedBy) = (capture.session, capture.subject, capture.firedBy)
        (nodes, waitsFor) = (capture.nodes, capture.waitsFor)
        (at, armedUntil) = (capture.at.map { WallTime($0) }, capture.armedUntil.map { WallTime($0) })
        leadNanoseconds = capture.leadNanoseconds
    }
}
