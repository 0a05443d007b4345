import CaptureModel
import Dispatch
import RigProtocol
import RigTransport
import Synchronization
import Testing
import ZeroMQ

@Suite("A plane of the coordinator's", .timeLimit(.minutes(1)))
struct HungPlaneTests {
    @Test("is named while its thread hangs, and not before or after")
    func hung() async throws {
        let context = Context()
        let (keys, nodeKeys) = (CurveKeyPair.generate(), CurveKeyPair.generate())
        let handler = try ZAPHandler(context: context) { _, key in key == nodeKeys.publicKey ? "north" : nil }
        let asked = Atomic(false)
        let gate = DispatchSemaphore(value: 0)
        // Reads the time as a clock would that does not answer.
        let sockets = try CoordinatorSockets(context: context, keys: keys, handler: handler, host: "127.0.0.1", port: 0)
        {
            if !asked.exchange(true, ordering: .relaxed) { gate.wait() }
            return RigTime(nanoseconds: 0)
        }
        let node = try NodeSockets(
            context: context, keys: nodeKeys, coordinatorKey: keys.publicKey, host: "127.0.0.1",
            port: sockets.controlPort
        ) { MonotonicTime(nanoseconds: 0) }
        defer {
            node.close()
            sockets.close()
            handler.close()
        }
        #expect(sockets.hungPlane(at: RigTime(nanoseconds: 0)) == nil)
        try node.openPlanes(clockPort: sockets.clockPort, bulkPort: sockets.bulkPort, instance: "1")
        var seconds: Int64 = 0
        var hung: String?
        while hung != "clock" {
            node.sendProbe()
            seconds += 4
            hung = sockets.hungPlane(at: RigTime(nanoseconds: .seconds(seconds)))
            // The other planes' threads make their turn meanwhile.
            try await Task.sleep(for: .milliseconds(20))
        }
        gate.signal()
        while hung != nil {
            hung = sockets.hungPlane(at: RigTime(nanoseconds: .seconds(seconds)))
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
