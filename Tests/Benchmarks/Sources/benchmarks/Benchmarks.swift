import Glibc

/// Runs the benchmarks that are named, or all, each in a process of its own; ends with status 1 when one is beyond its
/// threshold.
@main
enum Benchmarks {
    private static let all = [
        "memory", "bracket", "jpeg", "clock", "fire", "capture", "catalogue", "query", "questions", "collection",
        "fetch", "latency", "members", "connections", "shutter", "previews", "console", "tiles", "export",
    ]

    static func main() async throws {
        let wanted = CommandLine.arguments.count > 1 ? Array(CommandLine.arguments.dropFirst()) : all
        guard wanted.count == 1 else {
            // What others leave in the heap would count.
            let isGood = wanted.map { Child([CommandLine.arguments[0], $0]).wait() }
            exit(isGood.allSatisfy { $0 } ? 0 : 1)
        }
        let results = try await run(wanted[0])
        for result in results { print(result.line) }
        // What says nothing has not passed.
        exit(!results.isEmpty && results.allSatisfy(\.isGood) ? 0 : 1)
    }

    private static func run(_ name: String) async throws -> [Result] {
        switch name {
        case "memory": return await MemoryBenchmark.run()
        case "bracket": return BracketBenchmark.run()
        case "jpeg": return JPEGBenchmark.run()
        case "clock": return try await ClockBenchmark.run()
        case "fire": return try await FireBenchmark.run()
        case "capture": return CaptureBenchmark.run()
        case "catalogue": return try await CatalogueBenchmark.run()
        case "query": return try await QueryBenchmark.run()
        case "questions": return try await QuestionBenchmark.run()
        case "collection": return try await CollectionBenchmark.run()
        case "fetch": return try await FetchBenchmark.run()
        case "latency": return try await LatencyBenchmark.run()
        case "wire": return try await CollectionBenchmark.runOnWire()
        case "members": return try await MembersBenchmark.run()
        case "connections": return try await ConnectionsBenchmark.run()
        case "shutter": return try await ShutterBenchmark.run()
        case "previews": return try await PreviewBenchmark.run()
        case "console": return try await ConsoleBenchmark.run()
        case "tiles": return try await TileBenchmark.run()
        case "export": return try ExportBenchmark.run()
        default:
            // The other side of a benchmark that needs one.
            if name.hasPrefix("crowd=") { try Crowd.run(String(name.dropFirst(6))) }
            if name.hasPrefix("library=") { try await FetchBenchmark.runCoordinator(String(name.dropFirst(8))) }
            if name.hasPrefix("spools=") { try await LoopbackRig.runNodes(String(name.dropFirst(7))) }
            print("There are: \(all.joined(separator: ", ")).")
            exit(64)
        }
    }
}

/// A figure with what it must keep to.
struct Result {
    let name: String
    let value: Double
    let unit: String
    let threshold: ClosedRange<Double>

    var isGood: Bool { threshold.contains(value) }

    var line: String {
        let bound =
            threshold.upperBound == .infinity ? "at least \(threshold.lowerBound)" : "at most \(threshold.upperBound)"
        return "\(isGood ? "ok  " : "FAIL") \(name): \((value * 1000).rounded() / 1000)\(unit) (\(bound))"
    }
}
