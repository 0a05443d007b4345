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
        #expect(probes.take(times[2]))
        #expect(probes.take(times[0]))
        #expect(!probes.take(times[2]), "replayed")
        #expect(!probes.take(MonotonicTime(nanoseconds: 7)), "forged")
        #expect(probes.take(times[1]))
    }

    @Test("give up the oldest ones")
    func bounded() {
        var probes = OutstandingProbes()
        let times = (1...40).map { MonotonicTime(nanoseconds: $0) }
        for time in times { probes.expect(time) }
        #expect(times.filter { probes.take($0) } == Array(times.suffix(32)))
    }
}
