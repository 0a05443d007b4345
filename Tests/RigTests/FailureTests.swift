import Foundation
import TestSupport
import Testing

@Suite("A command that was asked for JSON and fails", .rigTimeLimit)
struct FailureTests {
    private struct Document: Decodable {
        struct Failure: Decodable {
            let code: String
            let message: String
            let details: [String]
            let exitStatus: Int32
        }

        let error: Failure
    }

    @Test("says so in JSON, with the words that a person reads on standard error")
    func documents() throws {
        let rig = try LocalRig()
        func expect(_ code: String, _ status: Int32, _ words: String, _ arguments: String...) throws {
            let result = try rig.volley(arguments)
            #expect(result.status == status, "\(arguments): \(result.errors)")
            let failure = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8)).error
            #expect(failure.code == code && failure.exitStatus == status, "\(failure)")
            #expect(failure.message.contains(words) && result.errors.contains(words), "\(failure) \(result.errors)")
        }
        try expect("configuration", 78, "missing.yaml", "nodes", "--json", "--config", rig.file("missing.yaml"))
        try expect("usage", 64, "Did you mean '--single'", "fire", "--sinlge", "--json")
        try expect("usage", 64, "no option '--maxSpread'", "fire", "--single", "--maxSpread", "2ms", "--json")
        try expect("usage", 64, "--verification", "captures", "--json", "--verification", "perhaps")
        try rig.startCoordinator()
        try expect("notFound", 1, "begins or ends with 123", "show", "123", "--json")
        try expect("unavailable", 69, "The rig has no nodes", "fire", "--single", "--json")
        let plain = try rig.volley("show", "123")
        #expect(plain.output.isEmpty && plain.status == 1)
        #expect(try rig.volley("fire", "--help", "--json").output.contains("USAGE"))
    }
}
