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
