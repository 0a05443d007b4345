package import CaptureModel

/// A capture as the catalogue remembers it.
package struct LoadedCapture: Sendable, Hashable {
    package var detail: CaptureDetail
    package var plan: Plan

    package init(detail: CaptureDetail, plan: Plan) {
        self.detail = detail
        self.plan = plan
    }
}
