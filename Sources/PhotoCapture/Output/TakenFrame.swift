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

/// A frame whose exposure was judged, and found fit for its step.
struct JudgedFrame: Sendable {
    let taken: TakenFrame
    /// What was written for it, as the driver made it.
    let applied: Exposure?
    /// The same for lens and white balance.
    let appliedOthers: ControlValues
    let verified: Exposure?
    let verification: Verification
    /// Linear, as a share of saturation.
    let brightness: Double?
}
