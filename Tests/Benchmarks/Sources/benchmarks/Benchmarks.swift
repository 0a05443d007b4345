import Glibc

/// Runs the benchmarks that are named, or all; ends with status 1 when one is beyond its threshold.
@main
enum Benchmarks {
    static func main() async {
        let wanted = CommandLine.arguments.dropFirst()
        var results: [Result] = []
        if wanted.isEmpty || wanted.contains("bracket") { results += BracketBenchmark.run() }
        if wanted.isEmpty || wanted.contains("jpeg") { results += JPEGBenchmark.run() }
        if wanted.isEmpty || wanted.contains("memory") { results += await MemoryBenchmark.run() }
        guard !results.isEmpty else {
            print("There are: bracket, jpeg, memory.")
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

/// Sebastiano Vigna's generator: every run sees the same chance.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
