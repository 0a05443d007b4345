import CaptureModel
import RigClock
import SimulatedCamera
import Testing

@Suite("The optical self-test")
struct FlashAnalysisTests {
    /// Frames of a camera whose timestamps are late by so much, looking at a light that goes on and off.
    private func frames(late: Int64, phase: Int64, exposure: Int64, noise: Double = 0.01, seed: UInt64)
        -> [FlashAnalysis.Sample]
    {
        var random = SplitMix64(state: seed)
        // On and off at no rhythm of the cameras'.
        let changes = (1..<20).map { (turn: Int64) -> Int64 in turn * 173_000_000 + turn * turn % 7 * 3_100_000 }
        func isLit(_ time: Int64) -> Bool { changes.count { $0 <= time } % 2 == 1 }
        return (0..<100).map { frame in
            let start = phase + Int64(frame) * 33_366_000
            let lit = (0..<Int64(200)).count { isLit(start + exposure * $0 / 200) }
            let brightness = 0.2 + 0.6 * Double(lit) / 200 + Double.random(in: -noise...noise, using: &random)
            return FlashAnalysis.Sample(
                start: RigTime(nanoseconds: start + late), exposure: exposure, brightness: brightness)
        }
    }

    @Test("finds what each camera's timestamps are off by, to a fraction of a millisecond")
    func offsets() throws {
        let late: [String: Int64] = ["a": 0, "b": 4_000_000, "c": -2_500_000, "d": 0, "e": 700_000]
        var cameras: [String: [FlashAnalysis.Sample]] = [:]
        for (index, name) in late.keys.sorted().enumerated() {
            cameras[name] = frames(
                late: late[name] ?? 0, phase: Int64(index) * 6_700_000, exposure: 20_000_000 + Int64(index) * 2_000_000,
                seed: UInt64(index))
        }
        let found = FlashAnalysis.offsets(of: cameras)
        #expect(found.count == 5)
        for (name, offset) in found {
            #expect(abs(offset.nanoseconds + (late[name] ?? 0)) < 600_000, "\(name): \(offset)")
            #expect(offset.edgeCount >= 4 && offset.scatter < 1_000_000)
        }
    }

    @Test("leaves out who did not see the light, and says nothing of one camera alone")
    func blind() {
        let seeing = frames(late: 0, phase: 0, exposure: 20_000_000, seed: 1)
        let blind = seeing.map { FlashAnalysis.Sample(start: $0.start, exposure: $0.exposure, brightness: 0.5) }
        #expect(FlashAnalysis.offsets(of: ["a": seeing, "b": blind]).isEmpty)
        #expect(FlashAnalysis.offsets(of: ["a": seeing, "b": seeing, "c": blind]).keys.sorted() == ["a", "b"])
    }
}
