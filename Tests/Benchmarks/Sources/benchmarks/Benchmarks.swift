import Glibc
import Posix

/// Runs the benchmarks that are named, or all; ends with status 1 when one is beyond its threshold.
@main
enum Benchmarks {
    static func main() async throws {
        // As volley-node does.
        Heap.returnLargeBlocks()
        let wanted = CommandLine.arguments.dropFirst()
        var results: [Result] = []
        // First: what others leave in the heap would count.
        if wanted.isEmpty || wanted.contains("memory") { results += await MemoryBenchmark.run() }
        if wanted.isEmpty || wanted.contains("bracket") { results += BracketBenchmark.run() }
        if wanted.isEmpty || wanted.contains("jpeg") { results += JPEGBenchmark.run() }
        if wanted.isEmpty || wanted.contains("clock") { results += ClockBenchmark.run() }
        if wanted.isEmpty || wanted.contains("fire") { results += FireBenchmark.run() }
        if wanted.isEmpty || wanted.contains("collection") { results += try await CollectionBenchmark.run() }
        guard !results.isEmpty else {
            print("There are: bracket, clock, collection, fire, jpeg, memory.")
            exit(64)
        }
        for result in results { print(result.line) }
        exit(results.allSatisfy(\.isGood) ? 0 : 1)
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
