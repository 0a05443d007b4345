/// The five callbacks in a capture's life, named after the delegate's methods.
public enum CaptureEventKind: String, Hashable, Sendable, Codable, CaseIterable {
    case willBeginCapture
    case willCapturePhoto
    case didCapturePhoto
    case didFinishProcessingPhoto
    case didFinishCapture
}

/// One callback of one node in one capture, as it is journalled, sent and catalogued.
package struct CaptureEvent: Hashable, Sendable, Codable {
    /// The capture that the event belongs to.
    package let uniqueID: UniqueID
    /// 1, 2, 3... without a gap, for this node in this capture.
    package let sequence: Int
    /// Which callback it was.
    package let kind: CaptureEventKind
    /// When the callback came, on the node's clock.
    package let time: MonotonicTime
    /// ``time`` in rig time; nil while the node's clock is not synchronised.
    package var rigTime: RigTime?
    /// The exposure that the event belongs to; nil for the first and the last event.
    package var sequenceCount: Int?
    /// With `willBeginCapture`.
    package var resolvedSettings: ResolvedPhotoSettings?
    /// With `didFinishProcessingPhoto`.
    package var photo: PhotoRecord?
    /// With `didFinishCapture`; the error of a single photo is in ``photo``.
    package var error: CaptureError?

    package init(
        uniqueID: UniqueID, sequence: Int, kind: CaptureEventKind, time: MonotonicTime, rigTime: RigTime? = nil,
        sequenceCount: Int? = nil, resolvedSettings: ResolvedPhotoSettings? = nil, photo: PhotoRecord? = nil,
        error: CaptureError? = nil
    ) {
        self.uniqueID = uniqueID
        self.sequence = sequence
        self.kind = kind
        self.time = time
        self.rigTime = rigTime
        self.sequenceCount = sequenceCount
        self.resolvedSettings = resolvedSettings
        self.photo = photo
        self.error = error
    }
}
