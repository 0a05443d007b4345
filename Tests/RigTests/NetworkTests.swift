import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing

@Suite("A rig on a bad network", .rigTimeLimit)
struct NetworkTests {
    /// Two nodes behind a relay.
    private func rig() throws -> (LocalRig, FaultyProxy) {
        let rig = try LocalRig()
        try rig.startCoordinator()
        let proxy = try FaultyProxy(ports: Array(rig.controlPort..<rig.controlPort + 5))
        for number in 1...2 { try rig.startNode("node-\(number)", seed: number, host: FaultyProxy.host) }
        try rig.awaitReady(2)
        return (rig, proxy)
    }

    private func fire(_ rig: LocalRig, _ count: Int) throws -> String {
        let plan = try rig.write("plan.yaml", "bracket: {burst: \(count)}\nformats: [jpeg, dng]\npolicy: bestEffort\n")
        let fired = try rig.volley("fire", plan)
        try #require(fired.status == 0, "\(fired.errors)")
        return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Every photo comes, in the end.
    private func awaitWhole(_ rig: LocalRig, _ id: String, _ count: Int) throws {
        try rig.wait("capture \(id) to end") { try rig.capture(id).summary.state.isFinal }
        // One that had ended without some of its photos is whole when they have come.
        try rig.wait("capture \(id) to be whole: \(try rig.capture(id).summary)") {
            let capture = try rig.capture(id)
            return capture.summary.state == .complete && capture.photos.count == count
        }
        try rig.awaitClean("node-1", "node-2")
    }

    @Test("whose connections are reset again and again collects every photo")
    func resets() throws {
        let (rig, proxy) = try rig()
        defer { proxy.close() }
        let id = try fire(rig, 20)
        for _ in 0..<15 {
            usleep(200_000)
            proxy.reset()
        }
        try awaitWhole(rig, id, 80)
    }

    @Test("that stalls for longer than a node may be silent gets what was left afterwards")
    func stall() throws {
        let (rig, proxy) = try rig()
        defer { proxy.close() }
        let id = try fire(rig, 20)
        try rig.wait("the first photo") { try rig.capture(id).summary.storedPhotoCount > 0 }
        proxy.stall(true)
        sleep(6)
        proxy.stall(false)
        try awaitWhole(rig, id, 80)
    }

    @Test("that is slow fires and collects all the same")
    func delay() throws {
        let (rig, proxy) = try rig()
        defer { proxy.close() }
        proxy.delay(80)
        // An order's way is reckoned by the probes; one that goes before the first slow probe is back comes too late.
        try rig.wait("the nodes to notice") {
            let nodes = try rig.volley("nodes", "--json").output
            return try JSONDecoder().decode([NodeDocument].self, from: Data(nodes.utf8)).count {
                $0.clock?.probes.longestNanoseconds ?? 0 > 80_000_000
            } == 2
        }
        try awaitWhole(rig, try fire(rig, 3), 12)
    }

    @Test("on which somebody says everything again hears none of it")
    func replay() throws {
        let (rig, proxy) = try rig()
        defer { proxy.close() }
        let first = try fire(rig, 3)
        try awaitWhole(rig, first, 12)
        let before = try rig.capture(first)
        #expect(proxy.replay() >= 6, "three planes of two nodes")
        try awaitWhole(rig, try fire(rig, 3), 12)
        #expect(try rig.capture(first) == before)
        let captures = try rig.volley("captures", "--json").output
        #expect(try [CaptureSummary](documents: Data(captures.utf8)).count == 2)
    }
}
