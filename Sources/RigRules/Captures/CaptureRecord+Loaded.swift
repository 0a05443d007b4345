import CaptureModel
import RigProtocol

extension CaptureRecord {
    /// Of errors after which a photo that was reported does not come any more.
    private static let areFinal: [CaptureError.Code] = [.storageFailed, .captureDeleted]

    /// Why a node that sent nothing of a former run's capture is given up; nil for other nodes and captures.
    func restart(before node: NodeName) -> CaptureError? {
        guard case .fired(nil) = phase, parts[node]?.receivedThrough == 0 else { return nil }
        return CaptureError(
            .stalled, "The coordinator restarted before the capture was fired, or before the node reported it.")
    }

    /// The record of a capture as the catalogue remembers it.
    ///
    /// - Parameters:
    ///   - groups: those of the rig.
    ///   - progress: taken as the last sign of life of nodes that still owe something.
    init(_ loaded: LoadedCapture, _ groups: [NodeGroup], returningBy progress: RigTime) {
        let detail = loaded.detail
        let summary = detail.summary
        var parts: [NodeName: CapturePart] = [:]
        // A photo that is gone from the library is a better reason than a node that was once lost.
        let gone = detail.photos.filter { $0.record.error?.code == .storageFailed }
        let lost = Dictionary(gone.compactMap { photo in photo.record.error.map { (photo.node, $0) } }) { first, _ in
            first
        }
        for node in detail.nodes {
            let events = detail.events.filter { $0.node == node.node }
            let phase: CapturePart.Phase =
                switch loaded.phases[node.node] {
                case .out(let error): .out(error)
                case .settled(let error): .settled(lost[node.node] ?? error)
                case .preparing, .owing, nil: .owing
                }
            var part = CapturePart(loaded.plan.debt(of: node, groups), phase: phase, lastProgress: progress)
            part.offset = node.offset
            part.receivedThrough = events.map(\.sequence).max() ?? 0
            part.exposedCount = events.filter { $0.kind == .didCapturePhoto }.count
            part.hasEnded = events.contains { $0.kind == .didFinishCapture }
            let sequences = events.filter { $0.photoCount != nil }.map { ($0.photoCount ?? 0, $0.sequence) }
            let sequenceOfPhoto = Dictionary(sequences, uniquingKeysWith: { $1 })
            for photo in detail.photos where photo.node == node.node {
                let count = photo.record.photoCount
                let step = photo.record.sequenceCount
                part.starts[step] = StepStart(photo.record) ?? part.starts[step]
                if sequenceOfPhoto[count] != nil {
                    part.slots[count] = photo.record.slot
                }
                if photo.path != nil || photo.deletedAt != nil {
                    part.stored[count] = sequenceOfPhoto[count] ?? 0
                } else if let error = photo.record.error, photo.record.file == nil || Self.areFinal.contains(error.code)
                {
                    part.failed[count] = sequenceOfPhoto[count] == nil ? nil : error
                } else if let sequence = sequenceOfPhoto[count] {
                    part.pending[count] = sequence
                }
            }
            parts[node.node] = part
        }
        uniqueID = summary.uniqueID
        plan = loaded.plan
        createdAt = summary.createdAt
        touched = progress
        phase = summary.state.isFinal ? .ended(summary.state, reason: summary.reason) : .fired(detail.fireRigTime)
        isCancelled = summary.state == .cancelled
        isDeleted = summary.deletedAt != nil
        self.parts = CaptureParts(parts)
    }
}
