import CaptureModel

/// A frame that was taken for a step, out of the driver's hands.
struct TakenFrame: Sendable {
    let capture: ActiveCapture
    let step: Int
    let info: FrameInfo
    /// What was in force on it, going by what was written before.
    let inForce: Exposure
    let contents: any FrameContents
}
