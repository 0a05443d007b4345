import Foundation
import RigProtocol
import Testing

/// Mutations of what cannot be read at all find little.
@Suite("The seeds for fuzzing")
struct CorpusTests {
    private let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzzing/Corpus")

    /// Those whose name is a word; those that a fuzzer has found have names of 40 hexadecimal digits.
    private func seeds(_ target: String) throws -> [(name: String, line: Data)] {
        let folder = corpus.appendingPathComponent(target)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.count < 40 }
        try #require(!names.isEmpty, "\(target) has seeds")
        return try names.flatMap { name in
            try Data(contentsOf: folder.appendingPathComponent(name)).split(separator: UInt8(ascii: "\n")).map {
                (name, Data($0))
            }
        }
    }

    private func reads<Content: WireReadable>(_ line: Data, as type: Content.Type) -> Bool {
        (try? Array(line).withUnsafeBytes { try Codec.decode(type, from: $0) }) != nil
    }

    @Test("are messages that are understood")
    func areRead() throws {
        for (name, line) in try seeds("node") {
            #expect(reads(line, as: NodeMessage.self) || reads(line, as: Chunk.self), "node/\(name)")
        }
        for (name, line) in try seeds("operator") { #expect(reads(line, as: OperatorRequest.self), "operator/\(name)") }
        for (name, line) in try seeds("coordinator") {
            #expect(reads(line, as: CoordinatorMessage.self), "coordinator/\(name)")
        }
    }
}
