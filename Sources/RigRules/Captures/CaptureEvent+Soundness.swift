import CaptureModel

extension CaptureEvent {
    /// Whether its numbers can be right for a part; what comes from outside is not trusted.
    func isSound(in part: CapturePart) -> Bool {
        guard (1...part.debt.eventCount).contains(sequence), isTime(rigTime?.nanoseconds), isTime(time.nanoseconds)
        else {
            return false
        }
        guard let photo else { return kind != .didFinishProcessingPhoto }
        guard photo.photoCount >= 1, photo.photoCount <= part.debt.photoCount,
            (0...part.debt.stepCount).contains(photo.sequenceCount), isTime(photo.exposureStartRigTime?.nanoseconds),
            photo.exposureStartKnown?.isPlausible ?? (photo.exposureStartRelative == nil),
            (photo.exposureStartRigTime == nil) == (photo.exposureStartUncertaintyNanoseconds == nil)
        else { return false }
        // One file for each exposure and format.
        guard part.slots.allSatisfy({ ($0.key == photo.photoCount) == ($0.value == photo.slot) }) else { return false }
        guard let file = photo.file else { return photo.error != nil }
        return photo.error == nil && (1...part.largestFile).contains(Int64(file.byteCount))
            && file.sha256.utf8.count == 64
    }

    /// Whether a number of nanoseconds is within 36 years of a clock's zero; nil is.
    private func isTime(_ nanoseconds: Int64?) -> Bool {
        nanoseconds.map { (-1 << 60...1 << 60).contains($0) } ?? true
    }
}
