package import CaptureModel

/// A capture as the catalogue remembers it.
package struct LoadedCapture: Sendable, Hashable {
    /// What became of it so far.
    package var detail: CaptureDetail
    /// The plan that it was accepted with.
    package var plan: Plan

    /// How far each node's part had come.
    package var phases: [NodeName: PartPhase]

    package init(detail: CaptureDetail, plan: Plan, phases: [NodeName: PartPhase]) {
        self.detail = detail
        self.plan = plan
        self.phases = phases
    }
}
