import CaptureModel
import Catalogue
import Foundation
import PhotoCapture
import Posix
import RigClock
import RigProtocol
import RigTransport

/// From an operator's request to the first exposure: of a plan that is fired, of one that is armed, and of one bare
/// camera that is prepared and told "now" by a call in its own process, of the same kind.
///
/// What is armed is held against the lead that its nodes need for their controls, whatever fires them: the bare camera
/// takes a burst as it is, and writes none. The order is given the longest way that an answer to a probe of the clocks has
/// needed, which is told beside it: a hundred nodes that share the cores of one machine wait for one another.
///
/// Each board has a disk of its own; a hundred spools on this machine's one would wait for each other in its file system, so
/// they lie in memory.
enum ShutterBenchmark {
    private static let rounds = 15
    /// Until the window of the clocks' probes holds nothing of the nodes' start, in seconds.
    private static let settling = 35
    /// Sensors are drawn by the processors of this one machine, those of a rig are not.
    private static let dimensions = Dimensions(width: 64, height: 48)

    static func run() async throws -> [Result] {
        var results: [Result] = []
        for count in [4, 30, 100] { results.append(try await run(count)) }
        return results
    }

    private static func run(_ nodeCount: Int) async throws -> Result {
        let bare = try BareCamera(RigFire.camera(1000, dimensions))
        let (fired, armed, told, lead, way) = try await RigFire.withRig(
            of: nodeCount, dimensions: dimensions, settling: settling,
            spools: nodeCount > 30 ? "/dev/shm" : NSTemporaryDirectory()
        ) { ada, coordinator in
            var (fired, armed, told, leads, ways): ([Int64], [Int64], [Int64], [Int64], [Int64]) = ([], [], [], [], [])
            for _ in 0..<rounds {
                // In turn, so that whatever else the machine does meets all three.
                fired.append(try await fire(ada, coordinator))
                ways.append(try await longestWay(ada))
                armed.append(try await release(ada, coordinator))
                let prepared = try await bare.prepare()
                leads.append(prepared.timing.leadNanoseconds)
                let start = Clocks.monotonicNanoseconds()
                told.append(try await bare.fire(prepared) - start)
            }
            return (
                RigFire.median(fired), RigFire.median(armed), RigFire.median(told), RigFire.median(leads),
                RigFire.median(ways)
            )
        }
        print(
            "     \(nodeCount) nodes: first exposure \(milliseconds(fired)) ms after a plan is fired, \(milliseconds(armed)) ms "
                + "after the shutter where it is armed, of which the controls' lead is \(milliseconds(lead)) ms and the "
                + "longest way of an answer \(milliseconds(way)) ms; "
                + "\(milliseconds(told)) ms where one camera is told")
        return Result(
            name:
                "shutter, \(nodeCount) nodes armed: from an operator's request to the first exposure, beside the lead of "
                + "the slowest controls", value: (armed - lead) / 1e6, unit: "ms",
            threshold: 0...60)
    }

    private struct Incomplete: Error, CustomStringConvertible {
        let words: String
        var description: String { words }
    }

    private static func milliseconds(_ nanoseconds: Double) -> Int { Int(nanoseconds / 1e6) }

    private static func request() throws -> FireRequest {
        let plan = Plan(name: "p", bracket: try .burst(1), formats: [.jpeg], policy: .all)
        return FireRequest(requestID: UUID().uuidString, plan: plan, session: nil, labels: [:])
    }

    private static func fire(_ ada: OperatorClient, _ coordinator: LoopbackCoordinator) async throws -> Int64 {
        let request = try request()
        let start = Clocks.monotonicNanoseconds()
        return try await firstExposure(of: try await ada.ask(request, seconds: 60).uniqueID, coordinator) - start
    }

    private static func release(_ ada: OperatorClient, _ coordinator: LoopbackCoordinator) async throws -> Int64 {
        let id = try await ada.ask(ArmRequest(try request()), seconds: 60).uniqueID
        // Whoever holds the shutter has looked at the rig.
        try await Task.sleep(for: .seconds(1))
        let start = Clocks.monotonicNanoseconds()
        _ = try await ada.ask(ReleaseRequest(), seconds: 60)
        return try await firstExposure(of: id, coordinator) - start
    }

    private static func longestWay(_ ada: OperatorClient) async throws -> Int64 {
        try await ada.ask(NodesRequest(), seconds: 60).nodes.compactMap { $0.clock?.probes.longestAnswer }.max() ?? 0
    }

    /// In rig time, which is this process's own clock.
    private static func firstExposure(of id: UniqueID, _ coordinator: LoopbackCoordinator) async throws -> Int64 {
        while try await coordinator.catalogue.unfinishedCaptures().contains(id) {
            try await Task.sleep(for: .milliseconds(20))
        }
        let capture = try await coordinator.catalogue.capture(id)
        guard let capture, capture.summary.state == .complete,
            let first = capture.photos.compactMap({ $0.record.exposureStartRigTime?.nanoseconds }).min()
        else { throw Incomplete(words: "capture \(id) is not complete: \(capture?.summary.reason ?? "it is gone")") }
        return first
    }
}
