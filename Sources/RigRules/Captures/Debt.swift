package import CaptureModel

/// What a node owes for a capture: two callbacks for each exposure, one for each exposure and format, a first and a last
/// one; pure.
///
/// An error does not shrink it: a missing photo is still a callback, with its error.
package struct Debt: Sendable, Hashable {
    let stepCount: Int
    let formats: [PhotoFormat]

    init(stepCount: Int, formats: [PhotoFormat]) {
        (self.stepCount, self.formats) = (stepCount, formats)
    }

    /// What a `willBeginCapture` promised.
    init(_ settings: ResolvedPhotoSettings) {
        stepCount = settings.exposures.count
        formats =
            settings.formats
            ?? (settings.photoDimensions == .zero ? [] : [.jpeg]) + (settings.rawPhotoDimensions == .zero ? [] : [.dng])
    }

    /// The number of photos, failed ones included.
    var photoCount: Int { stepCount * formats.count }

    /// The number of callbacks, and of the last one.
    var eventCount: Int { 2 + 2 * stepCount + photoCount }

    /// The photos that are missing besides those that are known, which are numbered in the order of delivery.
    func missing(besides known: [Int: PhotoSlot]) -> [(photoCount: Int, slot: PhotoSlot)] {
        let paid = Set(known.values)
        let left = (0..<stepCount).flatMap { step in
            formats.map { PhotoSlot(sequenceCount: step + 1, format: $0) }
        }.filter { !paid.contains($0) }
        return Array(zip((0..<photoCount).map { $0 + 1 }.filter { known[$0] == nil }, left))
    }

    /// The events that a journal still lacks, with the given error for each missing photo.
    ///
    /// A node that died in mid-capture finds its journal at the next start, and pays the rest from what
    /// `willBeginCapture` promised: every exposure's two callbacks, every photo, and `didFinishCapture` last.
    package static func settle(
        _ events: [CaptureEvent], error: CaptureError, at time: MonotonicTime
    ) -> [CaptureEvent] {
        guard let first = events.first, let settings = first.resolvedSettings,
            events.last?.kind != .didFinishCapture
        else { return [] }
        var sequence = events.last?.sequence ?? 0
        var owed: [CaptureEvent] = []
        func pay(_ kind: CaptureEventKind, _ sequenceCount: Int?, _ photo: PhotoRecord? = nil) {
            sequence += 1
            owed.append(
                CaptureEvent(
                    uniqueID: first.uniqueID, sequence: sequence, kind: kind, time: time, sequenceCount: sequenceCount,
                    photo: photo, error: kind == .didFinishCapture ? error : nil))
        }
        for kind in [CaptureEventKind.willCapturePhoto, .didCapturePhoto] {
            let paid = Set(events.filter { $0.kind == kind }.compactMap(\.sequenceCount))
            for exposure in settings.exposures where !paid.contains(exposure.sequenceCount) {
                pay(kind, exposure.sequenceCount)
            }
        }
        let delivered = Dictionary(events.compactMap(\.photo).map { ($0.photoCount, $0.slot) }) { $1 }
        for (photoCount, slot) in Debt(settings).missing(besides: delivered) {
            guard let exposure = settings.exposures.first(where: { $0.sequenceCount == slot.sequenceCount }) else {
                continue
            }
            var record = PhotoRecord(
                photoCount: photoCount, sequenceCount: slot.sequenceCount, format: slot.format, requested: exposure)
            record.error = error
            pay(.didFinishProcessingPhoto, slot.sequenceCount, record)
        }
        pay(.didFinishCapture, nil)
        return owed
    }
}

extension Plan {
    /// What each node owes of a plan that is its own.
    var debt: Debt { Debt(stepCount: bracket.count, formats: formats) }

    /// What a node owes that was told so by an earlier run, in which the rig's groups may have been others.
    func debt(of part: CaptureNodeDetail, _ groups: [NodeGroup]) -> Debt {
        let likely = [own(of: part.node, groups).formats, formats] + (settings ?? []).compactMap(\.formats)
        let told = likely.first { bracket.count * $0.count == part.expectedPhotoCount }
        return Debt(stepCount: bracket.count, formats: told ?? formats)
    }
}
