import CaptureModel
import RigRules
import Testing

@Suite("What is reported")
struct ReportThrottleTests {
    @Test("is said once a minute")
    func repeated() {
        var throttle = ReportThrottle()
        let said = (0..<130).flatMap { throttle.lines("no room", at: .seconds($0)) }
        #expect(said.count == 3)
    }

    @Test("is said again when it is so again, but not for ever")
    func comesAndGoes() {
        var throttle = ReportThrottle()
        let texts = (0..<40).map { "Node north " + ($0 % 2 == 0 ? "joined." : "does not answer.") }
        let said = texts.flatMap { throttle.lines($0, at: .seconds(1)) }
        #expect(said == Array(texts.prefix(20)))
    }

    @Test("is never more than can be read, and what was left out is counted")
    func flood() {
        var throttle = ReportThrottle()
        let flood = (0..<50_000).flatMap { throttle.lines("event \($0) cannot be", at: .seconds(5)) }
        #expect(flood.count == 100)
        #expect(throttle.lines("capture 7 is complete", at: .seconds(6)).count == 1)
        for number in 1...200 {
            #expect(throttle.lines("node cam\(number) does not answer", at: .seconds(7)).count == 1)
        }
        let next = throttle.lines("no room", at: .seconds(66))
        #expect(next.count == 2 && next[0] == "Reports left out, as too many came: 49900." && next[1] == "no room")
        #expect(throttle.lines("room again", at: .seconds(67)) == ["room again"])
    }
}
