import CaptureModel
import RigClock
import Testing

@testable import volley

@Suite("What a lamp showed")
struct LampSeriesTests {
    /// - Parameters: in milliseconds.
    private func verdict(
        _ found: Int64, ownError: Int64?, then: Int64?, stated: Int64, edges: Int = 20
    ) -> LampSeries.Verdict {
        let offset = FlashAnalysis.Offset(
            nanoseconds: .milliseconds(found), scatter: 0, edgeCount: edges,
            uncertainty: then.map { .milliseconds($0) },
            correctionUncertainty: ownError.map { .milliseconds($0) })
        return LampSeries.verdict(offset, then.map(lamp), stated: .milliseconds(stated))
    }

    private func lamp(_ milliseconds: Int64) -> LampMeasurement {
        LampMeasurement(
            capture: UniqueID(rawValue: 1), uncertaintyNanoseconds: .milliseconds(milliseconds),
            referenceUncertaintyNanoseconds: 0, exposureDuration: ExposureDuration(seconds: 0.02), source: .arrival)
    }

    @Test("is kept where it makes starts better known")
    func better() {
        #expect(verdict(-30, ownError: 2, then: 9, stated: 100) == .kept(nanoseconds: .milliseconds(-30), lamp(9)))
    }

    @Test("moves nothing by less than it may be off itself, and says how well starts are known without that")
    func small() {
        #expect(verdict(3, ownError: 20, then: 25, stated: 100) == .kept(nanoseconds: 0, lamp(28)))
    }

    @Test("is left where the camera's own clock knows better, but not where it is shown to be wrong")
    func worse() {
        let left = LampSeries.Verdict.left("is known to ±8.000 ms without this, and would be to ±49.000 ms")
        #expect(verdict(4, ownError: 33, then: 45, stated: 8) == left)
        #expect(verdict(30, ownError: 2, then: 9, stated: 1) == .kept(nanoseconds: .milliseconds(30), lamp(9)))
    }

    @Test("is left where too few changes were caught to say how well it is known")
    func few() {
        let vague = verdict(30, ownError: nil, then: nil, stated: 100)
        for told in [vague, verdict(30, ownError: 1, then: 9, stated: 100, edges: 3)] {
            guard case .left(let reason) = told else {
                Issue.record("kept")
                continue
            }
            #expect(reason.hasPrefix("caught too few changes"))
        }
    }
}
