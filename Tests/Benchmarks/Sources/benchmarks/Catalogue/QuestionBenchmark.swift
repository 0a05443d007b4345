import CaptureModel
import Catalogue
import Foundation
import Posix

/// What operators ask of a catalogue with 100,000 captures: the longest that any question takes, which is to be too short
/// for a person to notice.
enum QuestionBenchmark {
    private static let captureCount = 100_000
    private static let rounds = 5

    static func run() async throws -> [Result] {
        let folder = NSTemporaryDirectory() + "/volley-questions-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/catalogue.sqlite"
        let catalogue = try Catalogue(
            path: path, startedAt: UTCTime(rawValue: PlantedCatalogue.start), rigTime: RigTime(nanoseconds: 0))
        try await catalogue.commit([.node(name: "a", nil, at: 1), .node(name: "b", nil, at: 1)])
        try PlantedCatalogue.fill(path, count: captureCount)
        var longest = 0.0
        for (name, ask) in questions {
            var times: [Int64] = []
            for _ in 0..<rounds {
                let start = Clocks.monotonicNanoseconds()
                try await ask(catalogue)
                times.append(Clocks.monotonicNanoseconds() - start)
            }
            let time = Double(times.sorted()[rounds / 2]) / 1e6
            print("     \(name): \(Int(time.rounded())) ms")
            longest = max(longest, time)
        }
        return [
            Result(
                name: "questions: the longest of \(questions.count) over \(captureCount) captures, medians",
                value: longest, unit: "ms", threshold: 0...200)
        ]
    }

    private typealias Ask = @Sendable (Catalogue) async throws -> Void
    private typealias Question = (name: String, ask: Ask)

    private static func captures(_ change: @escaping @Sendable (inout CaptureFilter) -> Void) -> Ask {
        { catalogue in
            var filter = CaptureFilter()
            change(&filter)
            _ = try await catalogue.captures(filter)
        }
    }

    private static func photos(_ change: @escaping @Sendable (inout PhotoFilter) -> Void) -> Ask {
        { catalogue in
            var filter = PhotoFilter()
            change(&filter)
            _ = try await catalogue.photos(filter)
        }
    }

    private static let week = UTCTime(
        rawValue: PlantedCatalogue.start + Int64(captureCount - 7 * 1440) * PlantedCatalogue.minute)

    private static let questions: [Question] = [
        ("all captures", captures { _ in }),
        ("those that lost photos", captures { $0.states = [.partial, .failed] }),
        ("those of a session", captures { $0.session = "s500" }),
        ("those with a label", captures { $0.labels = ["subject": "anna"] }),
        ("those of an operator", captures { $0.firedBy = "bob" }),
        ("those of nobody", captures { $0.firedBy = "eve" }),
        ("those of a plan", captures { $0.plan = "focus" }),
        ("those with a camera", captures { $0.camera = "S-top-3" }),
        ("those with no such camera", captures { $0.camera = "X" }),
        ("those with some nodes", captures { $0.nodes = ["top-*"] }),
        ("those with no such node", captures { $0.nodes = ["door-*"] }),
        ("those with a doubtful photo", captures { $0.verification = "unverifiable" }),
        ("those with an error", captures { $0.error = .diskFull }),
        ("those with words in what went wrong", captures { $0.reason = "was lost" }),
        ("those above a spread", captures { $0.minSpreadNanoseconds = 1_000_000 }),
        ("the widest of all", captures { $0.order = .spread }),
        (
            "the widest of a week",
            captures {
                ($0.order, $0.since) = (.spread, week)
            }
        ),
        ("by the last digits", captures { $0.digits = "7000" }),
        ("those that are rated", captures { $0.minRating = 3 }),
        (
            "photos of a session, a node and a step",
            photos {
                ($0.captures.session, $0.nodes, $0.steps) = ("s500", ["top-3"], [2])
            }
        ),
        ("photos that failed", photos { $0.states = [.failed] }),
        ("photos in doubt", photos { $0.verification = "unverifiable" }),
        ("photos that are rated", photos { $0.minRating = 3 }),
        ("photos that are rejected", photos { $0.isRejected = true }),
        ("sessions", { _ = try await $0.sessions(since: nil, limit: 50) }),
        ("labels", { _ = try await $0.labels(since: nil, limit: 50) }),
    ]
}
