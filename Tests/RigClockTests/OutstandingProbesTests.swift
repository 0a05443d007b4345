import CaptureModel
import RigClock
import Testing

@Suite("Probes under way")
struct OutstandingProbesTests {
    @Test("count an answer once, in any order, and never one that nobody asked for")
    func once() {
        var probes = OutstandingProbes()
        let times = (1...3).map { MonotonicTime(nanoseconds: $0 * 50_000_000) }
        for time in times { probes.expect(time) }
        let forged = MonotonicTime(nanoseconds: 7)
        let answers = [times[2], times[0], times[2], forged, times[1]]
        var counted: [Bool] = []
        for answer in answers { counted.append(probes.take(answer)) }
        #expect(counted == [true, true, false, false, true])
    }

    @Test("give up the oldest ones")
    func bounded() {
        var probes = OutstandingProbes()
        let times = (1...40).map { MonotonicTime(nanoseconds: $0) }
        for time in times { probes.expect(time) }
        var taken: [MonotonicTime] = []
        for time in times where probes.take(time) { taken.append(time) }
        #expect(taken == Array(times.suffix(32)))
    }
}
