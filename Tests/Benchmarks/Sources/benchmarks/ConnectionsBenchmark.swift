import CaptureModel
import Catalogue
import Coordinator
import Foundation
import Posix
import RigProtocol
import RigTransport

/// A whole capture over a thousand real connections, until each node may forget it: encrypted, written down, archived,
/// with all that its nodes say and send, through a coordinator as its program composes it.
///
/// What it is held against is a bare ROUTER that sends each of the events' messages back. How long a turn takes is what an
/// operator waits who asks something meanwhile.
enum ConnectionsBenchmark {
    private static let counts = [125, 1000]

    /// What a capture took.
    private struct Cost {
        /// The coordinator's processor time in nanoseconds, less what it takes to do nothing. The two operators, who share
        /// its process, are included.
        var event: Double
        /// In seconds, from a request to the last acknowledgement.
        var duration: Double
        /// The longest that an operator waited for an answer, in seconds.
        var longestWait: Double
    }

    static func run() async throws -> [Result] {
        OpenFiles.raiseLimit()
        var costs: [Cost] = []
        for count in counts {
            let cost = try await measure(count)
            costs.append(cost)
            print(
                "     \(count) nodes: \(Int(cost.event)) ns an event, \(cost.duration) s in all, an operator waited at "
                    + "most \(Int(cost.longestWait * 1000)) ms")
        }
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        let messages = ScriptedNode.events(id).map { Codec.encode(EventReport(event: $0), sequence: 1) }
        let echo = RouterEcho.nanoseconds(of: (0..<counts[1]).flatMap { _ in messages })
        print("     a bare ROUTER: \(Int(echo)) ns an event")
        let what = "connections: a capture over \(counts[1]) real nodes, "
        return [
            Result(
                name: what + "the coordinator's processor time an event over that of a bare ROUTER echo",
                value: costs[1].event / echo, unit: "", threshold: 0...2),
            Result(
                name: what + "what an event costs over \(counts[0])", value: costs[1].event / costs[0].event, unit: "",
                threshold: 0...1.5),
            Result(
                name: what + "the longest that an operator waits", value: costs[1].longestWait * 1000, unit: " ms",
                threshold: 0...50),
        ]
    }

    private static func measure(_ count: Int) async throws -> Cost {
        let folder = NSTemporaryDirectory() + "/volley-connections-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder + "/library", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let names = (0..<count).compactMap { NodeName("node-\($0)") }
        let coordinator = try LoopbackCoordinator(
            library: folder + "/library", nodes: names, users: ["ada", "charles"])
        defer { coordinator.close() }
        let (ada, charles) = (try coordinator.client("ada"), try coordinator.client("charles"))
        defer {
            ada.close()
            charles.close()
        }
        try coordinator.introduction.write(to: folder + "/nodes")
        let crowd = Child([CommandLine.arguments[0], "crowd=\(folder)/nodes"])
        defer { crowd.end() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await coordinator.service.run() }
            while try await ada.ask(NodesRequest()).nodes.count(where: { $0.state == .ready }) < count {
                try await Task.sleep(for: .seconds(1))
            }
            // The first capture warms up.
            _ = try await capture(ada, charles, folder + "/nodes")
            try await Task.sleep(for: .seconds(2))
            var before = ProcessorTime.ofThisProcess()
            try await Task.sleep(for: .seconds(5))
            let idle = (ProcessorTime.ofThisProcess() - before) / 5
            before = ProcessorTime.ofThisProcess()
            // As many events with few nodes as with many.
            let captures = counts[1] / count
            var (duration, longestWait) = (0.0, 0.0)
            for _ in 0..<captures {
                let (seconds, wait) = try await capture(ada, charles, folder + "/nodes")
                (duration, longestWait) = (duration + seconds, max(longestWait, wait))
            }
            let spent = ProcessorTime.ofThisProcess() - before - idle * duration
            let states = try await coordinator.catalogue.captures(CaptureFilter()).items.map(\.state)
            precondition(states.count == captures + 1 && states.allSatisfy { $0 == .complete }, "\(states)")
            await coordinator.service.stop()
            try await group.waitForAll()
            return Cost(
                event: spent * 1e9 / Double(captures * count * ScriptedNode.eventCount),
                duration: duration / Double(captures),
                longestWait: longestWait)
        }
    }

    /// Fires, and lets another operator ask until all of the capture was acknowledged.
    private static func capture(
        _ ada: OperatorClient, _ charles: OperatorClient, _ place: String
    ) async throws -> (duration: Double, longestWait: Double) {
        let request = FireRequest(
            requestID: UUID().uuidString, plan: ScriptedNode.plan(), session: nil, labels: [:])
        let start = Clocks.monotonicNanoseconds()
        let id = try await ada.ask(request, seconds: 60).uniqueID
        var longest: Int64 = 0
        while access(Crowd.sign(place, id), F_OK) != 0 {
            let asked = Clocks.monotonicNanoseconds()
            _ = try await charles.ask(StatusRequest(), seconds: 60)
            longest = max(longest, Clocks.monotonicNanoseconds() - asked)
            try await Task.sleep(for: .milliseconds(20))
        }
        return (Double(Clocks.monotonicNanoseconds() - start) / 1e9, Double(longest) / 1e9)
    }
}
