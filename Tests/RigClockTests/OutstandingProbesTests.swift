import CaptureModel
import RigClock
import Testing

@Suite("Probes under way")
struct OutstandingProbesTests {
    @Test("count an answer once, in any order, and never one that nobody asked for")
    func once() {
        var probes = OutstandingProbes()
        let times = (1...3).map { MonotonicTime(nanoseconds: $0 * 50_000_000) }
        for (time, turn) in zip(times, [OutstandingProbes.Turn.first, .second, .first]) { probes.expect(time, turn) }
        let forged = MonotonicTime(nanoseconds: 7)
        let answers = [times[2], times[0], times[2], forged, times[1]]
        var counted: [OutstandingProbes.Turn?] = []
        for answer in answers { counted.append(probes.take(answer)) }
        #expect(counted == [.first, .first, nil, nil, .second])
    }

    @Test("give up the oldest ones")
    func bounded() {
        var probes = OutstandingProbes()
        let times = (1...40).map { MonotonicTime(nanoseconds: $0) }
        for time in times { probes.expect(time, .first) }
        var taken: [MonotonicTime] = []
        for time in times where probes.take(time) != nil { taken.append(time) }
        #expect(taken == Array(times.suffix(32)))
    }
}
