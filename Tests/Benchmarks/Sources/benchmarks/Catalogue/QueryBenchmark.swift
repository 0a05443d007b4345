import CRawCatalogue
import CaptureModel
import Catalogue
import Foundation
import Posix
import SimulatedCamera
import SimulationKit

/// Asking a large catalogue for everything about one capture, against the same statements in C.
enum QueryBenchmark {
    private static let nodes = 32
    private static let steps = 3
    private static let captures = 28_500
    private static let questions = 2000
    private static let epoch: Int64 = 1_800_000_000_000_000

    static func run() async throws -> [Result] {
        let folder = NSTemporaryDirectory() + "/volley-query-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/catalogue.sqlite"
        let catalogue = try Catalogue(path: path, startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let names = (0..<nodes).compactMap { NodeName("node-\($0)") }
        try await catalogue.commit(names.map { .node(name: $0, nil, at: UTCTime(rawValue: epoch)) })
        precondition(raw_fill(path, epoch, Int32(captures), Int32(nodes), Int32(steps)) == 0)
        print("     \(captures * nodes * (3 * steps + 2)) events")
        return [
            result("a point query by uniqueID", try await ask(catalogue, path)),
            result(
                "the same while captures are written",
                try await whileWriting(catalogue, try CatalogueBenchmark.changes(from: epoch + Int64(captures))) {
                    try await ask(catalogue, path)
                }),
        ]
    }

    private static func result(_ name: String, _ ratio: Double) -> Result {
        Result(
            name: "catalogue: \(name), p50 over the same statements in C", value: ratio, unit: "", threshold: 0...1.3)
    }

    /// The ratio of the medians.
    private static func ask(_ catalogue: Catalogue, _ path: String) async throws -> Double {
        guard let reader = raw_open(path) else { preconditionFailure("it is a catalogue") }
        defer { raw_close(reader) }
        var random = SplitMix64(state: 1)
        var (ours, theirs): ([Int64], [Int64]) = ([], [])
        for question in 0..<questions {
            let id = epoch + Int64.random(in: 0..<Int64(captures), using: &random)
            // In turn, and in turn the first, who finds the pages in no cache.
            for turn in [question % 2, 1 - question % 2] {
                let start = Clocks.monotonicNanoseconds()
                if turn == 0 {
                    let detail = try await catalogue.capture(UniqueID(rawValue: id))
                    precondition(detail?.photos.count == nodes * steps)
                    ours.append(Clocks.monotonicNanoseconds() - start)
                } else {
                    precondition(raw_show(reader, id) > nodes * steps)
                    theirs.append(Clocks.monotonicNanoseconds() - start)
                }
            }
        }
        func median(_ times: [Int64]) -> Double { Double(times.sorted()[times.count / 2]) / 1000 }
        print("     \(median(ours)) µs, the statements in C \(median(theirs)) µs")
        return median(ours) / median(theirs)
    }

    /// Commits one group after the other for as long as something else takes.
    private static func whileWriting(
        _ catalogue: Catalogue, _ groups: [[CatalogueChange]], _ body: () async throws -> Double
    ) async throws -> Double {
        let isOver = Flag()
        // Not cancelled: the catalogue would not finish its commit.
        let writing = Task {
            for group in groups where !isOver.isSet { try await catalogue.commit(group) }
            return isOver.isSet
        }
        let value = try await body()
        isOver.set()
        let wentOn = try await writing.value
        precondition(wentOn, "there was too little to write")
        return value
    }
}
