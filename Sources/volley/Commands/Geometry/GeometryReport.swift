import CaptureModel
import Catalogue
import Documents
import Foundation
import Library
import LibraryCare
import PhotoExport
import Programs
import RigProtocol
import RigTransport

/// A rig's geometry for people, or as a document.
struct GeometryReport {
    private let geometry: RigGeometry
    private let nodes: [String: NodeName]

    /// - Parameter names: what the cameras of nodes are known by.
    init(_ geometry: RigGeometry, _ names: [NodeName: String] = [:]) {
        self.geometry = geometry
        nodes = Dictionary(names.map { ($1, $0) }) { first, _ in first }
    }

    func write(json: Bool) throws {
        if json { return try Output.json(RigGeometryDocument(geometry)) }
        var table = Table(["CAMERA", "NODE", "PLACE", "FOCAL LENGTH", "PICTURE"], endsInRemarks: false)
        for camera in geometry.cameras {
            let (place, lens) = (camera.pose.centre, camera.intrinsics)
            let words = [place.x, place.y, place.z].map { String(format: "%.3f", $0) }.joined(separator: " ")
            table.add([
                camera.camera, nodes[camera.camera]?.rawValue ?? "", words,
                String(format: "%.1f px", lens.focalLengthX), "\(lens.dimensions)",
            ])
        }
        Output.report(table.text)
        Output.report("\n" + words)
    }

    private var words: String {
        let captures = geometry.captures.map(\.description).joined(separator: ", ")
        let source = geometry.captures.isEmpty ? "brought in" : "from capture \(captures)"
        let unit =
            geometry.isMetric
            ? "in metres" : "by the cameras' mean distance from their middle, as the scale is not known"
        let version = geometry.version > 0 ? "Version \(geometry.version)" : "Not kept"
        let user = geometry.user.map { ", kept by \($0)" } ?? ""
        let since = "holds from \(geometry.since.day) \(geometry.since.timeOfDay) UTC on"
        return "\(version), \(source)\(user); \(since). Places are \(unit), in the axes of the first camera."
    }
}

extension Answers {
    /// Keeps where the rig's cameras stand.
    ///
    /// - Returns: the same, with its version.
    func keep(_ geometry: RigGeometry) async throws -> RigGeometry {
        if let problem = geometry.problem { throw ExportPlan.Problem(message: "Nothing was kept. \(problem)") }
        switch self {
        case .coordinator(let client):
            return try await client.ask(KeepGeometryRequest(geometry: geometry)).geometry ?? geometry
        case .catalogue(_, let library):
            var geometry = geometry
            geometry.user = NodeName(rawValue: ProcessInfo.processInfo.userName)
            let catalogue = try Catalogue(annotating: library + "/catalogue.sqlite")
            let kept = try await LibraryFolder(root: library).keep(geometry, in: catalogue)
            let act = OperatorRequest.keepGeometry(KeepGeometryRequest(geometry: kept)).act
            try await catalogue.note(
                AuditEntry(
                    at: .now, user: geometry.user ?? AuditEntry.unknown, key: nil, act: act?.name ?? "",
                    subject: act?.subject, arguments: "", result: AuditEntry.done, message: act?.manner))
            return kept
        }
    }

    /// What the cameras are known by that took part in the last capture with photos, by their nodes.
    func lastCameras() async throws -> [NodeName: String] {
        var filter = CaptureFilter()
        (filter.states, filter.limit) = ([.complete, .partial], 1)
        guard let id = try await captures(filter).items.first?.uniqueID else { return [:] }
        return try await capture(.digits("\(id)")).nodes.cameraIdentities
    }

    /// The rig's geometry as it is asked for.
    ///
    /// - Throws: where there is none.
    func knownGeometry(_ version: Int?) async throws -> RigGeometry {
        guard let geometry = try await geometry(GeometryRequest(version: version)) else {
            throw ExportPlan.Problem(
                message: version.map { "There is no version \($0) of the rig's geometry." }
                    ?? "The rig's geometry is not known yet: `volley rig calibrate last`, or `volley rig import`.")
        }
        return geometry
    }
}
