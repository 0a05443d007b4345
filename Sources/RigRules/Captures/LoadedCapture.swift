package import CaptureModel

/// A capture as the catalogue remembers it.
package struct LoadedCapture: Sendable, Hashable {
    /// What became of it so far.
    package var detail: CaptureDetail
    /// The plan that it was accepted with.
    package var plan: Plan

    package init(detail: CaptureDetail, plan: Plan) {
        self.detail = detail
        self.plan = plan
    }
}
