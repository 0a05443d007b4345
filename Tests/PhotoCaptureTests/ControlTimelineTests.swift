import CaptureModel
import PhotoCapture
import Testing

@Suite("The control timeline")
struct ControlTimelineTests {
    private func values(_ milliseconds: Int64) -> ControlValues {
        ControlValues(Exposure(duration: ExposureDuration(nanoseconds: milliseconds * 1_000_000)))
    }

    @Test("has each control in force on the frame on which it lands")
    func landing() {
        var timeline = ControlTimeline(inForce: values(1))
        var both = values(4)
        both.iso = 800
        timeline.wrote(both, after: 10, ControlDelays(exposureDuration: 3, gain: 2))
        #expect(timeline.advance(to: 11).iso == nil && !timeline.isSteady)
        #expect(timeline.advance(to: 12).iso == 800 && timeline.inForce.exposureDuration == values(1).exposureDuration)
        #expect(timeline.advance(to: 13).exposureDuration == values(4).exposureDuration)
        #expect(!timeline.isSteady, "were the write late, this frame would not have it yet")
        #expect(timeline.advance(to: 14) == both && timeline.isSteady)
    }

    @Test("lets the newest write have the last word, also over one that was slow or written with other delays")
    func newest() {
        var timeline = ControlTimeline(inForce: values(1))
        timeline.wrote(values(2), after: 14, ControlDelays(4))
        timeline.wrote(values(3), after: 15, ControlDelays(2))
        #expect(timeline.written == values(3))
        #expect(timeline.advance(to: 30) == values(3))
        timeline.wrote(values(5), after: 30, ControlDelays(3))
        timeline.wrote(values(6), after: nil, ControlDelays(3))
        #expect(timeline.advance(to: 40) == values(6), "written while nothing ran")
    }
}
