package import CaptureModel

extension CaptureEvent {
    /// A callback as others are told of it; for a photo, only its record.
    package init(_ timed: TimedPhotoCaptureEvent, uniqueID: UniqueID, sequence: Int) {
        self.init(uniqueID: uniqueID, sequence: sequence, kind: timed.event.kind, time: timed.time)
        switch timed.event {
        case .willBeginCapture(let settings):
            resolvedSettings = settings
        case .willCapturePhoto(_, let count), .didCapturePhoto(_, let count):
            sequenceCount = count
        case .didFinishProcessingPhoto(let photo):
            sequenceCount = photo.record.sequenceCount
            self.photo = photo.record
        case .didFinishCapture(_, let error):
            self.error = error
        }
    }
}
