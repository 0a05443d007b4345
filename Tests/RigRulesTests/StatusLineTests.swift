import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

@Suite("The line for systemctl status")
struct StatusLineTests {
    @Test("of a coordinator counts nodes and photos")
    func coordinator() throws {
        var rig = Rehearsal()
        #expect(rig.machine.statusLine == "0 of 0 nodes ready")
        try rig.join("a", "b")
        rig.take(.tick)
        #expect(rig.machine.statusLine == "2 of 2 nodes ready")
        let id = try rig.fire(.all).get()
        rig.now = rig.now + .seconds(1)
        rig.take(.tick)
        #expect(
            rig.machine.statusLine
                == "0 of 2 nodes ready; 2 busy; capture \(id) preparing, 0 of 4 photos stored")
    }

    @Test("of a node says whether it is in a rig, what its camera does, and what is owed")
    func node() {
        var node = NodeMachine(name: "north", instance: "i")
        let now = MonotonicTime(nanoseconds: .seconds(1000))
        func take(_ input: NodeMachine.Input, _ clock: ClockEstimate = .unavailable) {
            _ = node.handle(input, now: now, clock: ClockReport(estimate: clock))
        }
        #expect(node.statusLine == "looking for the coordinator; opening the camera")
        take(.cameraLost(CaptureError(.deviceNotConnected, "No camera is plugged in.")))
        take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2))))
        #expect(node.statusLine == "connected; synchronising its clock; No camera is plugged in.")
        take(.cameraReady(camera))
        take(
            .recovered(events: [
                CaptureEvent(uniqueID: UniqueID(rawValue: 5), sequence: 1, kind: .willBeginCapture, time: now)
            ]))
        take(.tick, ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 40_001, asOf: now))
        #expect(
            node.statusLine
                == "connected; clock within 50 µs; simulated:1 ready; 1 event not stored yet")
    }
}
