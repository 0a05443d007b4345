import CaptureModel
import Coordinator
import Foundation
import Glibc
import Posix

/// What a thousand nodes take of a coordinator's memory.
///
/// libzmq's queues are chunks of 256 messages, and each way of a connection comes to have two of them: at a message a
/// second that takes nine minutes, so only then is it seen whether memory stays as it is.
enum MembersBenchmark {
    private static let nodeCount = 1000
    private static let minutes = 15

    static func run() async throws -> [Result] {
        OpenFiles.raiseLimit()
        let folder = NSTemporaryDirectory() + "/volley-members-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder + "/library", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let names = (0..<nodeCount).compactMap { NodeName("node-\($0)") }
        let coordinator = try LoopbackCoordinator(library: folder + "/library", nodes: names)
        defer { coordinator.close() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await coordinator.service.run() }
            try await Task.sleep(for: .seconds(3))
            let before = residentKilobytes()
            let place = folder + "/nodes"
            try coordinator.introduction.write(to: place)
            let nodes = Child([CommandLine.arguments[0], "crowd=\(place)"])
            var sizes: [Double] = []
            for minute in 1...minutes {
                try await Task.sleep(for: .seconds(60))
                sizes.append(Double(residentKilobytes() - before) / Double(nodeCount))
                print("     after \(minute) minutes: \(sizes[minute - 1]) KiB a node")
            }
            nodes.end()
            await coordinator.service.stop()
            try await group.waitForAll()
            let size = sizes[minutes - 1]
            let growth = size - sizes[minutes * 2 / 3 - 1]
            return [
                Result(
                    name: "members: memory of a coordinator for each of \(nodeCount) nodes", value: size, unit: " KiB",
                    threshold: 0...64),
                Result(
                    name: "members: its growth in the last \(minutes / 3) minutes of \(minutes)", value: growth,
                    unit: " KiB",
                    threshold: -64...4),
            ]
        }
    }

    private static func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }
}
