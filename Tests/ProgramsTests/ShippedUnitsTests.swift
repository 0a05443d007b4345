import Foundation
import TestSupport
import Testing

@Suite("The shipped units")
struct ShippedUnitsTests {
    @Test(
        "leave little open, as systemd judges it",
        arguments: [
            ("volley-coordinator", 2.0), ("volley-node", 2.5), ("volley-node@", 2.5), ("volley-metrics", 2.0),
            ("volley-console", 2.0),
        ])
    func exposure(unit: String, most: Double) throws {
        let path = BuiltPrograms.repository.appendingPathComponent("deploy/systemd/\(unit).service").path
        let result = try run(
            "/usr/bin/systemd-analyze",
            ["security", "--offline=true", "--no-pager", "--threshold=\(Int(most * 10))", path])
        #expect(result.status == 0, "\(result.output.suffix(500))\(result.errors)")
    }

    @Test("of one camera and of one among several differ in names alone")
    func template() throws {
        func settings(_ unit: String) throws -> [String] {
            let path = BuiltPrograms.repository.appendingPathComponent("deploy/systemd/\(unit).service")
            return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("#") && !$0.uppercased().contains("SYSLOG") }
        }
        let one = try settings("volley-node@").map {
            $0.replacingOccurrences(of: "node-%i", with: "node").replacingOccurrences(of: "node %i", with: "node")
        }
        #expect(try one == settings("volley-node"))
    }
}
