import CaptureModel
import RigRules
import Testing

@Suite("A watch over a camera")
struct CameraWatchTests {
    private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: .seconds(seconds)) }

    @Test("says that it hangs when neither it nor an attempt to open it has done anything for too long")
    func hangs() {
        var watch = CameraWatch(limit: .seconds(30), now: time(0))
        #expect(watch.alarm(lastTurn: nil, patience: 0, now: time(30)) == nil)
        #expect(watch.alarm(lastTurn: nil, patience: 0, now: time(31))?.contains("for 31 s") == true)
        watch.attempted(at: time(20))
        #expect(watch.alarm(lastTurn: nil, patience: 0, now: time(50)) == nil)
        // A long exposure is no hang.
        #expect(watch.alarm(lastTurn: time(25), patience: .seconds(10), now: time(65)) == nil)
        #expect(watch.alarm(lastTurn: time(25), patience: .seconds(10), now: time(66)) != nil)
        // A camera that was opened again has not had its first turn yet.
        watch.attempted(at: time(60))
        #expect(watch.alarm(lastTurn: time(25), patience: 0, now: time(66)) == nil)
    }
}
