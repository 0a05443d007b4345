import ArgumentParser
import CaptureModel
import Documents
import Foundation
import PhotoExport
import Programs

/// `volley rig check`.
struct CheckRigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Says which cameras were moved since the rig was calibrated.",
        discussion: """
            COLMAP reconstructs the capture, and what most cameras agree on is laid over what is kept. Exit status: 1 if a \
            camera was moved, turned or zoomed, or could not be placed.
            """)

    @OptionGroup var reconstruction: ReconstructionOptions
    @Argument(help: CaptureReference.help) var capture: CaptureReference
    @Option(help: "Against this version of the rig's geometry; default: the one that holds now.") var version: Int?
    @Option(help: "How far a camera may be off, in percent of the rig's radius.") var tolerance = 1.0
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard (0.01...50).contains(tolerance) else { throw ValidationError("A tolerance is 0.01 to 50 percent.") }
    }

    func run() async throws {
        try await reconstruction.run { answers, interruption in
            let geometry = try await answers.knownGeometry(version)
            let detail = try await answers.capture(capture)
            let found = try await reconstruction.reconstruct(detail, answers, interruption)
            guard let comparison = RigComparison(found.cameras, against: geometry) else {
                throw ExportPlan.Problem(
                    message:
                        "Less than four cameras of version \(geometry.version) were placed, too few to tell which was moved."
                )
            }
            let names = detail.nodes.cameraIdentities
            let report = RigCheckReport(comparison, found, geometry, names, tolerance: tolerance / 100)
            if json { try Output.json(report) } else { Output.report(report.text) }
            if !report.isUnmoved { throw ExitCode(ExitStatus.failed) }
        }
    }
}

/// What a check found out.
struct RigCheckReport: Encodable {
    /// What became of a camera.
    enum State: String, Encodable {
        case stands, moved
        /// It took part, and COLMAP could not say where it is.
        case unplaced
        /// It took part, and the version does not have it.
        case unknown
        /// The version has it, and it took no part.
        case absent
    }

    /// A camera.
    struct Camera: Encodable {
        let camera: String
        let node: NodeName?
        let state: State
        /// By how much it was moved, in the unit of the geometry, and as a share of the rig's radius.
        var distance, distanceShare: Double?
        /// By how much it was turned.
        var degrees: Double?
        /// Of its focal length to the kept one.
        var zoom: Double?
    }

    /// A focal length further off than that was changed.
    private static let mostZoom = 0.02

    let version: Int
    let lengthUnit: String
    let cameras: [Camera]

    init(
        _ comparison: RigComparison, _ found: RigReconstruction, _ geometry: RigGeometry, _ names: [NodeName: String],
        tolerance: Double
    ) {
        let nodes = Dictionary(names.map { ($1, $0) }) { first, _ in first }
        (version, lengthUnit) = (geometry.version, RigGeometryDocument(geometry).lengthUnit)
        var cameras = comparison.shifts.map { shift in
            // Turned by so much, what is in the middle of the rig is seen where it would be if it were moved by that.
            let isMoved =
                shift.distance > tolerance || shift.angle > tolerance
                || shift.zoom.map { abs($0 - 1) > Self.mostZoom } ?? false
            return Camera(
                camera: shift.camera, node: nodes[shift.camera], state: isMoved ? .moved : .stands,
                distance: shift.length, distanceShare: shift.distance, degrees: shift.angle * 180 / .pi,
                zoom: shift.zoom)
        }
        let known = Set(geometry.cameras.map(\.camera))
        cameras += found.missing.map { node in
            let camera = names[node] ?? ""
            return Camera(camera: camera, node: node, state: known.contains(camera) ? .unplaced : .unknown)
        }
        cameras += found.cameras.filter { !known.contains($0.camera) }.map {
            Camera(camera: $0.camera, node: nodes[$0.camera], state: .unknown)
        }
        let there = Set(cameras.map(\.camera))
        cameras += geometry.cameras.map(\.camera).filter { !there.contains($0) }.map {
            Camera(camera: $0, node: nil, state: .absent)
        }
        self.cameras = cameras
    }

    /// Whether none is known to be elsewhere.
    var isUnmoved: Bool { cameras.allSatisfy { $0.state == .stands || $0.state == .absent } }

    var text: String {
        let lines = cameras.filter { $0.state != .stands && $0.state != .absent }.map(line)
        let absent = cameras.filter { $0.state == .absent }.map(\.camera)
        let others = absent.isEmpty ? [] : ["Not in this capture: \(absent.joined(separator: ", ")).".printableLine]
        let standing = cameras.filter { $0.state == .stands }
        let most = standing.compactMap(\.distanceShare).max() ?? 0
        let rest =
            "\(Sentences.count(standing.count, "camera")) of version \(version) stand where they stood, within "
            + "\(Sentences.percent(most)) of the rig's radius."
        return (lines + others + [rest]).joined(separator: "\n")
    }

    private func line(_ camera: Camera) -> String {
        let who = (camera.node.map { "\($0), " } ?? "") + "camera \(camera.camera)"
        switch camera.state {
        case .unplaced: return "\(who): it could not be placed. Is it covered, turned away, or out of focus?"
        case .unknown: return "\(who): it is not in version \(version); calibrate anew."
        case .stands, .moved, .absent:
            let length =
                lengthUnit == "m"
                ? String(format: "%.0f mm, ", (camera.distance ?? 0) * 1000)
                    + Sentences.percent(camera.distanceShare ?? 0)
                : Sentences.percent(camera.distanceShare ?? 0)
            let turn = String(format: "%.1f degrees", camera.degrees ?? 0)
            let zoom = camera.zoom.flatMap { abs($0 - 1) > Self.mostZoom ? $0 : nil }
            let focal = zoom.map { String(format: "; its focal length is %.3f of what it was", $0) } ?? ""
            return "\(who): moved by \(length) of the rig's radius, turned by \(turn)\(focal)."
        }
    }
}
