import RigProtocol
import Testing

@Suite("Metrics in Prometheus' text format")
struct MetricFamilyTests {
    @Test(
        "come one family after another, with what peers say made harmless, and without those of which nothing is known")
    func text() {
        var frames = MetricFamily.counter("volley_frames_total", "Frames that arrived,\nin C:\\ too.")
        frames.add(3, ["node": "top", "camera": "a \"b\" \\ c\nd"])
        frames.add(nil, ["node": "gone"])
        frames.add(1.5e-7, ["node": "door"])
        let none = MetricFamily.gauge("volley_temperature_celsius", "Unknown.").with(nil)
        let free = MetricFamily.gauge("volley_free_bytes", "Left.").with(1e15)
        // The example of Prometheus' page on exposition formats escapes a label in this way.
        #expect(
            [frames, none, free].text == #"""
                # HELP volley_frames_total Frames that arrived,\nin C:\\ too.
                # TYPE volley_frames_total counter
                volley_frames_total{camera="a \"b\" \\ c\nd",node="top"} 3
                volley_frames_total{node="door"} 1.5e-07
                # HELP volley_free_bytes Left.
                # TYPE volley_free_bytes gauge
                volley_free_bytes 1000000000000000
                """#)
    }
}
