import CaptureModel
import Glibc
import PhotoCapture
import Testing

@Suite("A picture's exposure")
struct ExposureVerifierTests {
    private static let curve = ResponseCurve(
        source: .calibrated, light: (0..<ResponseCurve.steps).map { Float(log2(max(Double($0), 0.25) / 255)) },
        usable: 0.06...0.94)

    private func verifier() -> ExposureVerifier {
        ExposureVerifier(
            profile: CameraProfile(
                modelID: "m", pixelFormat: "GREY", delays: ControlDelays(1), source: .calibrated, response: Self.curve))
    }

    private func exposure(_ milliseconds: Double) -> Exposure {
        Exposure(duration: ExposureDuration(seconds: milliseconds / 1000))
    }

    /// A scene of four stops; 10 ms shows its brightest place just short of clipping.
    private func picture(_ milliseconds: Double) -> LuminanceGrid {
        let count = LuminanceGrid.columns * LuminanceGrid.rows
        return LuminanceGrid(
            samples: (0..<count).map { place in
                Float(min(1, 0.9 * exp2(-4 * Double(place) / Double(count)) * milliseconds / 10))
            })
    }

    @Test("is told by one picture before it, where that is all there is")
    func one() {
        var verifier = verifier()
        verifier.addReference(7, picture(10), exposure(10))
        guard case .verified(_, let ev) = verifier.judge(picture(5), wanted: exposure(5)) else {
            Issue.record("5 ms were asked for and are shown")
            return
        }
        #expect(abs(ev) < 0.05)
        guard case .mismatch(let wrong) = verifier.judge(picture(5), wanted: exposure(2.5)) else {
            Issue.record("2.5 ms were asked for, 5 are shown")
            return
        }
        #expect(abs(wrong - 1) < 0.05)
    }

    @Test("is not told by a nearer picture that was itself hardly within tolerance")
    func inherited() {
        var verifier = verifier()
        verifier.addReference(7, picture(2), exposure(2))
        // Off by 0.2 EV, of which the distance to the first picture excuses a part.
        guard case .verified(_, let far) = verifier.judge(picture(9.2), wanted: exposure(8)) else {
            Issue.record("0.2 EV over 2 EV are within tolerance")
            return
        }
        #expect(far > 0.15)
        guard case .verified(_, let ev) = verifier.judge(picture(5), wanted: exposure(5)) else {
            Issue.record("5 ms were asked for and are shown")
            return
        }
        #expect(abs(ev) < 0.05)
    }

    @Test("is not told by two that do not agree, nor by one of them that came twice")
    func disagreeing() {
        var verifier = verifier()
        verifier.addReference(7, picture(10), exposure(10))
        // Metered, and looked at again by the capture.
        for _ in 1...2 { verifier.addReference(8, picture(10), exposure(5)) }
        guard case .unverifiable = verifier.judge(picture(10), wanted: exposure(5)) else {
            Issue.record("either of the two may be the wrong one")
            return
        }
    }

    @Test("is not blamed for a light that changed: frames are off by one amount, whatever was asked for")
    func light() {
        var verifier = verifier()
        for frame in UInt32(1)...2 { verifier.addReference(frame, picture(4), exposure(4)) }
        let brighter = exp2(0.3)
        for (place, time) in [2.0, 4, 8, 1].enumerated() {
            guard case .mismatch = verifier.judge(picture(time * brighter), wanted: exposure(time)) else {
                Issue.record("0.3 EV are more than is verified")
                return
            }
            let change = verifier.lightChange
            #expect((change != nil) == (place >= 2))
            if let change { #expect(change == "the light changed by 0.3 EV") }
        }
        // One that is off by another amount is no light, and takes nothing from the others.
        #expect(verifier.judge(picture(8), wanted: exposure(2)).isMismatch)
        #expect(verifier.lightChange == nil)
        #expect(verifier.judge(picture(2 * brighter), wanted: exposure(2)).isMismatch)
        #expect(verifier.lightChange == "the light changed by 0.3 EV")
        // Once the light is as it was, it takes as many frames again.
        #expect(!verifier.judge(picture(4), wanted: exposure(4)).isMismatch)
        #expect(verifier.judge(picture(2 * brighter), wanted: exposure(2)).isMismatch)
        #expect(verifier.lightChange == nil)
    }

    @Test("is not blamed for a frame from before the bracket that had another exposure than was thought")
    func wrongReference() {
        var verifier = verifier()
        // The camera went on with 2 ms.
        for frame in UInt32(1)...2 { verifier.addReference(frame, picture(2), exposure(4)) }
        for (place, time) in [4.0, 1.5, 8].enumerated() {
            // It makes nothing of the third.
            if place == 2 { _ = verifier.judge(picture(1.5), wanted: exposure(6)) }
            #expect(verifier.lightChange == nil)
            guard case .mismatch(let ev) = verifier.judge(picture(time), wanted: exposure(time)) else {
                Issue.record("it has twice the light that the frame before it tells")
                return
            }
            #expect(abs(ev - 1) < 0.1)
        }
        #expect(
            verifier.lightChange
                == "the light changed by 1.0 EV, or the picture that it is compared with has another exposure")
    }

    @Test("with a gain that did not take is off by one amount as well, and the reason says so")
    func ignoredGain() {
        var profile = CameraProfile(
            modelID: "m", pixelFormat: "GREY", delays: ControlDelays(1), source: .calibrated, response: Self.curve)
        profile.gains = [(0, 0), (100, 1)].map { CameraProfile.GainPoint(gain: $0.0, ev: $0.1) }
        var verifier = ExposureVerifier(profile: profile, gains: [64])
        func exposure(_ milliseconds: Double, gain: Double) -> Exposure {
            Exposure(duration: ExposureDuration(seconds: milliseconds / 1000), gain: gain)
        }
        verifier.addReference(1, picture(4), exposure(4, gain: 0))
        for (place, time) in [4.0, 1.5, 8, 2].enumerated() {
            let judgement = verifier.judge(picture(time), wanted: exposure(time, gain: 64))
            guard case .mismatch(let ev) = judgement else {
                Issue.record("the gain is missing at \(time) ms, and it says \(judgement)")
                return
            }
            #expect(abs(ev + 0.64) < 0.05)
            #expect(verifier.lightChange?.contains("or the gain or ISO did not act") == (place < 2 ? nil : true))
        }
    }

    @Test("that stays as it was, whatever is asked for, is no light that changed")
    func stuck() {
        var verifier = verifier()
        for frame in UInt32(1)...2 { verifier.addReference(frame, picture(4), exposure(4)) }
        for time in [2.0, 8, 1, 6] {
            _ = verifier.judge(picture(4), wanted: exposure(time))
            #expect(verifier.lightChange == nil)
        }
    }

    @Test("with a gain that does nothing, or of which nothing is known, is never called verified")
    func unseenGain() {
        func judged(_ points: [(Double, Double)], _ gain: Double) -> ExposureVerifier.Judgement {
            var profile = CameraProfile(
                modelID: "m", pixelFormat: "GREY", delays: ControlDelays(1), source: .calibrated, response: Self.curve)
            profile.gains = points.map { CameraProfile.GainPoint(gain: $0.0, ev: $0.1) }
            // The gain of before the bracket is another one, too.
            var verifier = ExposureVerifier(profile: profile, gains: [100])
            var wanted = exposure(4)
            wanted.gain = 0
            verifier.addReference(1, picture(4), wanted)
            wanted.gain = gain
            return verifier.judge(picture(4 * exp2(points.last?.1 ?? 0)), wanted: wanted)
        }
        guard case .verified = judged([(0, 0), (100, 1)], 100) else {
            Issue.record("a gain that was measured is seen")
            return
        }
        for points in [[(0, 0), (100, 0.1)], [], [(0, 0), (60, 0.6)]] as [[(Double, Double)]] {
            guard case .unverifiable(let reason) = judged(points, 100) else {
                Issue.record("\(points)")
                return
            }
            #expect(reason.contains("gain"))
        }
    }

    @Test("is told by those that agree, against one that does not")
    func majority() {
        var verifier = verifier()
        verifier.addReference(7, picture(10), exposure(5))
        verifier.addReference(8, picture(10), exposure(10))
        verifier.addReference(9, picture(10), exposure(10))
        guard case .verified = verifier.judge(picture(5), wanted: exposure(5)) else {
            Issue.record("two of three say so")
            return
        }
    }
}

extension ExposureVerifier.Judgement {
    fileprivate var isMismatch: Bool { if case .mismatch = self { true } else { false } }
}
