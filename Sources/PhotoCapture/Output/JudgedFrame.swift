import CaptureModel

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
