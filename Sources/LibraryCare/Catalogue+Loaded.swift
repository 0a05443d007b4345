package import CaptureModel
package import Catalogue
package import RigRules

extension Catalogue {
    /// A capture in the form in which the rules resume it; nil if there is none with that id.
    package func loaded(_ id: UniqueID) async throws -> LoadedCapture? {
        guard let detail = try await capture(id), let plan = try await plan(of: id) else { return nil }
        return LoadedCapture(detail: detail, plan: plan, phases: try await phases(of: id))
    }
}
