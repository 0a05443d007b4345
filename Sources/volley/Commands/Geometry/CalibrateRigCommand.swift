import ArgumentParser
import CaptureModel
import Foundation
import PhotoExport
import Programs
import RigProtocol

/// `volley rig calibrate`.
struct CalibrateRigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Finds out from captures where the cameras stand, and keeps it.",
        discussion: """
            COLMAP reconstructs each capture by itself, of something with much texture that fills the pictures; of several \
            captures the mean is kept, and how well they agree is said. Every camera must have been placed in one of them.
            """)

    @OptionGroup var reconstruction: ReconstructionOptions
    @Argument(help: CaptureReference.help) var captures: [CaptureReference]
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "How far the lenses of two nodes' cameras are apart, in metres, as NODE NODE 0.85; default: no scale.",
            valueName: "distance"))
    var distance: [String] = []
    @Flag(help: "Keep it, though cameras are missing.") var partial = false
    @Flag(help: "Say where they stand, and keep nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard distance.isEmpty || distance.count == 3 && (Double(distance[2]).map { $0 > 0 && $0.isFinite } ?? false)
        else {
            throw ValidationError(
                "--distance takes two nodes and metres with spaces between them and a decimal point, as node-1 node-2 0.85."
            )
        }
        if distance.count == 3, distance[0] == distance[1] {
            throw ValidationError("--distance takes two different nodes.")
        }
    }

    func run() async throws {
        try await reconstruction.run { answers, interruption in
            var found: [[CameraGeometry]] = []
            var missing: Set<NodeName> = []
            var names: [NodeName: String] = [:]
            var ids: [UniqueID] = []
            var since = UTCTime(rawValue: 0)
            var details: [CaptureDetail] = []
            for reference in captures { details.append(try await answers.capture(reference)) }
            try refuseUnknown(details)
            for capture in details {
                let cameras = try await reconstruction.reconstruct(capture, answers, interruption)
                found.append(cameras.cameras)
                ids.append(capture.summary.uniqueID)
                since = max(since, capture.firedAt)
                missing.formUnion(cameras.missing)
                names.merge(capture.nodes.cameraIdentities) { $1 }
            }
            guard let (cameras, scatter) = RigReconstruction.mean(found) else {
                throw ExportPlan.Problem(
                    message: "Nothing was kept: each capture takes two cameras in common with the first one.")
            }
            let placed = Set(cameras.map(\.camera))
            try tellMissing(
                missing.filter { names[$0].map { !placed.contains($0) } ?? true },
                of: Set(names.keys).union(missing).count)
            var geometry = RigGeometry(
                since: since, captures: ids, isMetric: !distance.isEmpty, cameras: cameras)
            try await refuseFewer(placed, answers)
            geometry = geometry.normalized(scale: try scale(of: geometry, names))
            if found.count > 1 {
                let share = Sentences.percent(scatter)
                Output.words("The captures agree on each camera's place within \(share) of the rig's radius.")
            }
            try interruption.check()
            if !dryRun {
                geometry = try await answers.keep(geometry)
                if let held = try await answers.geometry(GeometryRequest()), held.version != geometry.version {
                    Output.words(
                        "Version \(held.version), which is of a later time, still holds now; calibrate from a capture that was "
                            + "taken since.")
                }
            }
            try GeometryReport(geometry, names).write(json: json)
        }
    }

    /// Before anything is reconstructed, which takes minutes.
    private func refuseUnknown(_ captures: [CaptureDetail]) throws {
        let chosen = reconstruction.nodes
        let nodes = Set(captures.flatMap(\.nodes).map(\.node)).filter { node in
            chosen.isEmpty || chosen.contains { $0.matches(node) }
        }
        guard let word = distance.prefix(2).first(where: { word in NodeName(word).map { !nodes.contains($0) } ?? true })
        else { return }
        throw ExportPlan.Problem(message: "--distance: no node '\(word)' took part, but \(nodes.folded).".printableLine)
    }

    /// What is kept is of the whole rig, and takes the place of what was.
    private func refuseFewer(_ placed: Set<String>, _ answers: Answers) async throws {
        guard !partial, let former = try await answers.geometry(GeometryRequest()) else { return }
        let lost = former.cameras.map(\.camera).filter { !placed.contains($0) }
        guard !lost.isEmpty else { return }
        throw ExportPlan.Problem(
            message:
                "Nothing was kept: version \(former.version) has cameras that these captures do not: "
                + "\(lost.joined(separator: ", ")). If they are gone for good, say --partial.".printableLine)
    }

    private func tellMissing(_ missing: Set<NodeName>, of count: Int) throws {
        guard !missing.isEmpty else { return }
        let names = missing.sorted { $0.precedes($1) }.map(\.rawValue).joined(separator: ", ")
        let message = "\(missing.count) of \(count) cameras could not be placed, or were not there: \(names)."
        guard partial else {
            throw ExportPlan.Problem(
                message:
                    "\(message) Nothing was kept: see to what they see, and to their neighbours, which should be less than 20 "
                    + "degrees away; or leave them out with --partial.")
        }
        Output.words(message)
    }

    private func scale(of geometry: RigGeometry, _ names: [NodeName: String]) throws -> Double {
        guard distance.count == 3, let metres = Double(distance[2]) else { return 1 / geometry.radius }
        let places = try distance.prefix(2).map { word in
            guard let camera = NodeName(word).flatMap({ names[$0] }),
                let place = geometry.cameras.first(where: { $0.camera == camera })
            else { throw ExportPlan.Problem(message: "--distance: no camera of a node '\(word)' was placed.") }
            return place.pose.centre
        }
        let length = (places[0] - places[1]).length
        guard length > 0 else { throw ExportPlan.Problem(message: "--distance: both cameras stand in one place.") }
        return metres / length
    }
}
