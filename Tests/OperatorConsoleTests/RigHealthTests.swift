import CaptureModel
import RigProtocol
import Testing

@testable import OperatorConsole

@Suite("The rig's health, in words")
struct RigHealthTests {
    private func family(_ name: String, _ values: [String: Double]) -> MetricFamily {
        var family = MetricFamily.gauge("volley_\(name)", "")
        for (node, value) in values { family.add(value, node.isEmpty ? [:] : ["node": node]) }
        return family
    }

    @Test("says of each node what was measured, and nothing of what was not")
    func nodes() {
        let health = RigHealth([
            family("node_spool_free_bytes", ["top": 2e9, "door": 1e9]),
            family("node_spool_captures", ["top": 3, "door": 0]),
            family("node_temperature_celsius", ["top": 81.4]), family("node_throttled", ["top": 1, "door": 0]),
            family("node_frames_missing_total", ["top": 7, "door": 0]),
        ])
        #expect(health.words("top") == ("2.0 GB free, 3 to deliver", "81 °C, slowed down by heat", "7 missing"))
        #expect(health.words("door") == ("1.0 GB free", "", ""))
        #expect(health.words("nobody") == ("", "", ""))
    }

    @Test("says how many captures the library's disk still takes")
    func library() {
        let health = RigHealth([family("library_free_bytes", ["": 1e9])])
        #expect(health.library(captureBytes: 3_000_000)?.contains("333 captures") == true)
        #expect(health.library(captureBytes: nil) == "The library's disk takes 1.0 GB more.")
        #expect(RigHealth([]).library(captureBytes: 1) == nil)
    }
}
