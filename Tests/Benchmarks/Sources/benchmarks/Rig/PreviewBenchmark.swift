import CaptureModel
import Catalogue
import Foundation
import Posix
import RigProtocol
import RigTransport
import Synchronization

/// What a bracket loses while somebody looks through every camera: its span with all previews running over that without,
/// in turn, and its photos that are not as they were asked for.
///
/// Cameras are drawn by the processors of this one machine, those of a rig are not.
enum PreviewBenchmark {
    private static let nodeCount = 4
    private static let rounds = 9
    private static let dimensions = Dimensions(width: 640, height: 480)

    static func run() async throws -> [Result] {
        try await RigFire.withRig(of: nodeCount, dimensions: dimensions) { ada, coordinator in
            let nodes = try await ada.ask(NodesRequest()).nodes.map(\.name)
            var (without, with, failed): ([Int64], [Int64], Int) = ([], [], 0)
            let audience = Audience()
            for _ in 0..<rounds {
                let alone = try await bracket(ada, coordinator)
                let seen = try await audience.looking(through: nodes, ada) { try await bracket(ada, coordinator) }
                without.append(alone.span)
                with.append(seen.span)
                failed += seen.failed
            }
            let (ratio, tally) = (RigFire.median(with) / RigFire.median(without), audience.tally)
            print(
                "     a bracket of 3 takes \(RigFire.median(with) / 1e6) ms with and \(RigFire.median(without) / 1e6) ms "
                    + "without previews; \(tally.pictures) of \(tally.bytes / max(tally.pictures, 1)) bytes were looked at "
                    + "in \(Int(tally.seconds)) s")
            return [
                Result(
                    name: "previews: span of a bracket with all cameras looked through over that without", value: ratio,
                    unit: "", threshold: 0...1.01),
                Result(
                    name: "previews: photos of \(rounds * nodeCount * 3) that are missing or not verified",
                    value: Double(failed), unit: "", threshold: 0...0),
            ]
        }
    }

    /// - Returns: the longest span of a node, in nanoseconds, and the number of photos that are not as they should be.
    private static func bracket(
        _ ada: OperatorClient, _ coordinator: LoopbackCoordinator
    ) async throws -> (span: Int64, failed: Int) {
        let steps = [-1.0, 0, 1].map { BracketedStillImageSettings.autoExposure(exposureTargetBias: .value($0)) }
        let plan = Plan(name: "p", bracket: try Bracket(steps), formats: [.jpeg], policy: .all)
        let request = FireRequest(requestID: UUID().uuidString, plan: plan, session: nil, labels: [:])
        let id = try await ada.ask(request, seconds: 60).uniqueID
        while try await coordinator.catalogue.unfinishedCaptures().contains(id) {
            try await Task.sleep(for: .milliseconds(20))
        }
        guard let capture = try await coordinator.catalogue.capture(id) else { preconditionFailure("no capture \(id)") }
        let good = capture.photos.filter { $0.record.verification == .verified && $0.path != nil }
        let starts = Dictionary(grouping: good) { $0.node }.mapValues { photos in
            photos.compactMap { $0.record.exposureStartRigTime?.nanoseconds }
        }
        let span = starts.values.map { ($0.max() ?? 0) - ($0.min() ?? 0) }.max() ?? 0
        return (span, nodeCount * 3 - good.count)
    }
}

/// Operators who look: two at all cameras, one at the first alone, as fast as they get pictures.
private final class Audience: Sendable {
    struct Tally {
        var pictures = 0
        var bytes = 0
        /// How long they looked.
        var seconds = 0.0
    }

    private let counts = Mutex(Tally())

    var tally: Tally { counts.withLock { $0 } }

    func looking<Answer: Sendable>(
        through nodes: [NodeName], _ ada: OperatorClient, _ body: () async throws -> Answer
    ) async throws -> Answer {
        let start = Clocks.monotonicNanoseconds()
        defer { counts.withLock { $0.seconds += Double(Clocks.monotonicNanoseconds() - start) / 1e9 } }
        let viewers = [(nodes, PreviewSize.tile), (nodes, .tile), ([nodes[0]], .large)].map { nodes, size in
            Task { while !Task.isCancelled { try await self.look(nodes, size, ada) } }
        }
        defer { for viewer in viewers { viewer.cancel() } }
        // They are at it before anything is fired.
        try await Task.sleep(for: .milliseconds(500))
        return try await body()
    }

    private func look(_ nodes: [NodeName], _ size: PreviewSize, _ ada: OperatorClient) async throws {
        var seen = Dictionary(uniqueKeysWithValues: nodes.map { ($0, 0) })
        while !Task.isCancelled {
            let (reply, bytes) = try await ada.askForBytes(PreviewsRequest(size: size, seen: seen))
            for picture in reply.pictures { seen[picture.node] = picture.number }
            counts.withLock { counts in
                counts.pictures += reply.pictures.count
                counts.bytes += bytes.count
            }
        }
    }
}
