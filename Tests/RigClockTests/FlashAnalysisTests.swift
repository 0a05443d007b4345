import CaptureModel
import RigClock
import SimulatedCamera
import SimulationKit
import Testing

@Suite("The optical self-test")
struct FlashAnalysisTests {
    /// Frames of a camera whose timestamps are late by so much, looking at a light that goes on and off.
    private func frames(
        late: Int64, phase: Int64, exposure: Int64, noise: Double = 0.01, jitter: Int64 = 0, uncertainty: Int64 = 1000,
        readout: Int64 = 0, line: Double = 0, seed: UInt64
    ) -> [FlashAnalysis.Sample] {
        var random = SplitMix64(state: seed)
        // On and off at no rhythm of the cameras'.
        let changes = (1..<20).map { (turn: Int64) -> Int64 in turn * 173_000_000 + turn * turn % 7 * 3_100_000 }
        func isLit(_ time: Int64) -> Bool { changes.count { $0 <= time } % 2 == 1 }
        return (0..<100).map { frame in
            let start = phase + Int64(frame) * 33_366_000
            let first = start + Int64(line * Double(readout))
            let lit = (0..<Int64(200)).count { isLit(first + exposure * $0 / 200) }
            let brightness = 0.2 + 0.6 * Double(lit) / 200 + Double.random(in: -noise...noise, using: &random)
            let stamp = start + late + Int64.random(in: -jitter...jitter, using: &random)
            return FlashAnalysis.Sample(
                start: RigTime(nanoseconds: stamp), exposure: exposure, brightness: brightness,
                uncertainty: uncertainty, readout: readout)
        }
    }

    @Test("finds what each camera's timestamps are off by, to a fraction of a millisecond")
    func offsets() throws {
        let late: [NodeName: Int64] = ["a": 0, "b": 4_000_000, "c": -2_500_000, "d": 0, "e": 700_000]
        var cameras: [NodeName: [FlashAnalysis.Sample]] = [:]
        for (index, name) in late.keys.sorted().enumerated() {
            cameras[name] = frames(
                late: late[name] ?? 0, phase: Int64(index) * 6_700_000, exposure: 20_000_000 + Int64(index) * 2_000_000,
                seed: UInt64(index))
        }
        let found = FlashAnalysis.result(of: [cameras]).offsets
        #expect(found.count == 5)
        for (name, offset) in found {
            #expect(abs(offset.nanoseconds + (late[name] ?? 0)) < 600_000, "\(name): \(offset)")
            #expect(offset.edgeCount >= 4 && offset.scatter < 1_000_000)
        }
    }

    @Test("leaves out who did not see the light, and says nothing of one camera alone")
    func blind() {
        let seeing = frames(late: 0, phase: 0, exposure: 20_000_000, seed: 1)
        let blind = seeing.map {
            FlashAnalysis.Sample(start: $0.start, exposure: $0.exposure, brightness: 0.5, uncertainty: 1000, readout: 0)
        }
        #expect(FlashAnalysis.result(of: [["a": seeing, "b": blind]]).offsets.isEmpty)
        let found = FlashAnalysis.result(of: [["a": seeing, "b": seeing, "c": blind]]).offsets
        #expect(found.keys.sorted() == ["a", "b"])
    }

    @Test("says how well a start is known then, by stamps that jitter", arguments: [0, 1, 4, 10] as [Int64])
    func uncertainty(jitter: Int64) throws {
        for seed in UInt64(0)..<20 {
            var cameras: [NodeName: [FlashAnalysis.Sample]] = [:]
            for (index, name) in (["a", "b", "c", "d"] as [NodeName]).enumerated() {
                cameras[name] = frames(
                    late: Int64(index) * 9_000_000, phase: Int64(index) * 6_700_000, exposure: 28_000_000,
                    jitter: jitter * 1_000_000, seed: seed * 4 + UInt64(index))
            }
            let found = FlashAnalysis.result(of: [cameras]).offsets
            for (index, name) in (["a", "b", "c", "d"] as [NodeName]).enumerated() {
                let offset = try #require(found[name])
                let uncertainty = try #require(offset.uncertainty)
                // What is common to all is nobody's error.
                let reference = try #require(found.first { $0.value.nanoseconds == 0 }).key
                let zero = Int64(["a", "b", "c", "d"].firstIndex(of: reference) ?? 0) * 9_000_000
                let worst = abs(Int64(index) * 9_000_000 - zero + offset.nanoseconds) + jitter * 1_000_000
                #expect(worst <= uncertainty + (found[reference]?.uncertainty ?? 0), "\(seed), \(name): \(offset)")
                #expect(uncertainty <= (3 * jitter + 3) * 1_000_000, "\(seed), \(name): \(offset)")
            }
        }
    }

    @Test("says nothing of how well by a few changes, of which some cameras miss some")
    func missing() throws {
        let all = frames(late: 0, phase: 0, exposure: 28_000_000, seed: 1)
        let late = frames(late: 5_000_000, phase: 6_700_000, exposure: 28_000_000, seed: 2)
        let few = frames(late: -7_000_000, phase: 3_000_000, exposure: 28_000_000, seed: 3).prefix(20)
        let found = FlashAnalysis.result(of: [["a": all, "b": late, "c": Array(few)]]).offsets
        let (a, b, c) = (try #require(found["a"]), try #require(found["b"]), try #require(found["c"]))
        #expect(c.edgeCount < 5 && c.uncertainty == nil && a.uncertainty != nil)
        #expect(abs(a.nanoseconds - b.nanoseconds - 5_000_000) < 600_000)
        #expect(abs(c.nanoseconds - a.nanoseconds - 7_000_000) < 600_000)
    }

    @Test("measures cameras against the one whose starts are known best")
    func reference() throws {
        let cameras: [NodeName: [FlashAnalysis.Sample]] = [
            "a": frames(late: 31_000_000, phase: 0, exposure: 28_000_000, uncertainty: 80_000_000, seed: 1),
            "b": frames(late: 0, phase: 3_000_000, exposure: 28_000_000, uncertainty: 1000, seed: 2),
            "c": frames(late: 33_000_000, phase: 9_000_000, exposure: 28_000_000, uncertainty: 80_000_000, seed: 3),
        ]
        let found = FlashAnalysis.result(of: [cameras])
        let best = try #require(found.offsets["b"])
        #expect(best.nanoseconds == 0)
        #expect(found.referenceUncertainty == (best.uncertainty ?? 0) + 1000)
        #expect(abs((found.offsets["a"]?.nanoseconds ?? 0) + 31_000_000) < 600_000)
    }

    @Test("leaves open which of a rolling shutter's lines the light falls on", arguments: [0, 0.5, 1])
    func rollingShutter(line: Double) throws {
        let cameras: [NodeName: [FlashAnalysis.Sample]] = [
            "a": frames(late: 0, phase: 0, exposure: 28_000_000, seed: 1),
            "b": frames(late: 0, phase: 5_000_000, exposure: 28_000_000, readout: 30_000_000, line: line, seed: 2),
        ]
        let found = FlashAnalysis.result(of: [cameras]).offsets
        let (a, b) = (try #require(found["a"]), try #require(found["b"]))
        let off = abs(b.nanoseconds - a.nanoseconds)
        #expect(off <= (a.uncertainty ?? 0) + (b.uncertainty ?? 0), "\(off): \(b)")
        #expect((15_000_000...19_000_000).contains(b.uncertainty ?? 0))
    }

    @Test("believes nothing of a light that comes again sooner than the stamps may be off")
    func ambiguous() {
        let slow = frames(late: 0, phase: 0, exposure: 28_000_000, uncertainty: 50_000_000, seed: 1)
        #expect(FlashAnalysis.result(of: [["a": slow, "b": slow]]).neededPeriod == nil)
        let vague = frames(late: 0, phase: 0, exposure: 28_000_000, uncertainty: 100_000_000, seed: 1)
        #expect(FlashAnalysis.result(of: [["a": vague, "b": vague]]).neededPeriod == 400_000_000)
    }

    @Test("takes several rounds together, and no change from between them")
    func rounds() throws {
        let whole: [NodeName: [FlashAnalysis.Sample]] = [
            "a": frames(late: 0, phase: 0, exposure: 28_000_000, seed: 1),
            "b": frames(late: 5_000_000, phase: 5_000_000, exposure: 28_000_000, seed: 2),
        ]
        let parts = [whole.mapValues { Array($0.prefix(40)) }, whole.mapValues { Array($0.suffix(40)) }]
        let (one, both) = (FlashAnalysis.result(of: [parts[0]]).offsets, FlashAnalysis.result(of: parts).offsets)
        let (few, more) = (try #require(one["b"]).edgeCount, try #require(both["b"]).edgeCount)
        #expect(few < more)
        #expect(abs(try #require(both["a"]).nanoseconds - #require(both["b"]).nanoseconds - 5_000_000) < 600_000)
    }

    @Test("takes a change for one, by pictures that are noisy", arguments: UInt64(0)..<20)
    func noisy(seed: UInt64) {
        let cameras = (["a", "b"] as [NodeName]).enumerated().map { index, name in
            let phase = Int64(index) * 5_000_000 + Int64(seed) * 1_700_000
            return (
                name, frames(late: 0, phase: phase, exposure: 31_000_000, noise: 0.03, seed: seed * 2 + UInt64(index))
            )
        }
        let found = FlashAnalysis.result(of: [Dictionary(uniqueKeysWithValues: cameras)])
        #expect(found.neededPeriod == nil)
        // The light changes 19 times.
        #expect(found.offsets.values.allSatisfy { (5...19).contains($0.edgeCount) && $0.scatter < 3_000_000 })
    }
}
