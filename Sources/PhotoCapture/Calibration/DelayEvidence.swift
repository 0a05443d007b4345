package import CaptureModel

/// What was written when, and what the frames then showed: enough to find the controls' delays; pure.
package struct DelayEvidence: Sendable {
    private struct Observation {
        let frame: UInt32
        let light: Double
    }

    private struct Write {
        let after: UInt32
        let values: ControlValues
    }

    /// The share of the frames that must be explained; a few may be lost in between.
    private static let share = 0.9

    private let initial: ControlValues
    private var writes: [Write] = []
    private var observations: [Observation] = []

    /// - Parameter initial: what was in force before the first write.
    package init(initial: ControlValues) {
        self.initial = initial
    }

    /// Values were written after this frame had arrived, and before the next had.
    package mutating func wrote(_ values: ControlValues, after frame: UInt32) {
        writes.append(Write(after: frame, values: values))
    }

    /// A frame shows this much light, in EV on any scale that is the same for all frames.
    package mutating func observed(_ frame: UInt32, light: Double) {
        observations.append(Observation(frame: frame, light: light))
    }

    /// Whether there are enough frames with different light: one or two fit many delays.
    package var isTelling: Bool {
        let lights = observations.map(\.light)
        return lights.count >= 3 && (lights.max() ?? 0) - (lights.min() ?? 0) > 0.5
    }

    /// The delays that explain what was seen.
    ///
    /// - Parameters:
    ///   - candidates: delays to try, the likeliest first.
    ///   - tolerance: how far, in EV, a frame may be from what a candidate predicts.
    ///   - light: the light of an exposure, on the scale of the observations.
    /// - Returns: the first of the best candidates, and whether no other is as good; nil when none explains nine
    ///   frames in ten.
    package func delays(
        among candidates: [ControlDelays], tolerance: Double, light: (Exposure) -> Double?
    ) -> (delays: ControlDelays, isUnique: Bool)? {
        guard !observations.isEmpty else { return nil }
        let scores = candidates.map { explained(by: $0, tolerance, light) }
        guard let best = scores.max(), Double(best) >= Self.share * Double(observations.count),
            let place = scores.firstIndex(of: best)
        else { return nil }
        return (candidates[place], scores.filter { $0 == best }.count == 1)
    }

    /// Whether delays other than these explain a given number of the newest frames.
    ///
    /// - Parameters: as for ``delays(among:tolerance:light:)``, and how many frames of how many.
    package func areExplained(
        byOtherThan delays: ControlDelays, among candidates: [ControlDelays], _ count: Int, ofNewest newest: Int,
        tolerance: Double, light: (Exposure) -> Double?
    ) -> Bool {
        var evidence = self
        evidence.observations = observations.suffix(newest)
        return candidates.contains { $0 != delays && evidence.explained(by: $0, tolerance, light) >= count }
    }

    private func explained(by delays: ControlDelays, _ tolerance: Double, _ light: (Exposure) -> Double?) -> Int {
        var timeline = ControlTimeline(inForce: initial)
        for write in writes { timeline.wrote(write.values, after: write.after, delays) }
        return observations.count { observation in
            guard let expected = light(timeline.advance(to: observation.frame).exposure) else { return false }
            return abs(expected - observation.light) <= tolerance
        }
    }
}
