package import CaptureModel

/// What a capture owes, and how to settle a debt that the capture itself can no longer pay; pure.
package enum CaptureLedger {
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
        for photo in missingPhotos(events, settings, first.formats, error) {
            pay(.didFinishProcessingPhoto, photo.sequenceCount, photo)
        }
        pay(.didFinishCapture, nil)
        return owed
    }

    private static func missingPhotos(
        _ events: [CaptureEvent], _ settings: ResolvedPhotoSettings, _ formats: [PhotoFormat], _ error: CaptureError
    ) -> [PhotoRecord] {
        let delivered = events.compactMap(\.photo)
        let paid = Set(delivered.map(\.slot))
        var photoCount = delivered.map(\.photoCount).max() ?? 0
        var missing: [PhotoRecord] = []
        for exposure in settings.exposures {
            for format in formats where !paid.contains(PhotoSlot(sequenceCount: exposure.sequenceCount, format: format))
            {
                photoCount += 1
                var record = PhotoRecord(
                    photoCount: photoCount, sequenceCount: exposure.sequenceCount, format: format, requested: exposure)
                record.error = error
                missing.append(record)
            }
        }
        return missing
    }
}

extension CaptureEvent {
    /// The formats that a `willBeginCapture` promised.
    fileprivate var formats: [PhotoFormat] {
        guard let settings = resolvedSettings else { return [] }
        if let formats = settings.formats { return formats }
        var formats: [PhotoFormat] = []
        if settings.photoDimensions != .zero { formats.append(.jpeg) }
        if settings.rawPhotoDimensions != .zero { formats.append(.dng) }
        return formats
    }
}
