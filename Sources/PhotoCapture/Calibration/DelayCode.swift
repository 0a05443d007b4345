import CaptureModel

/// Finds a control's delay from a code of two levels that was written frame after frame; pure.
///
/// With the right delay, the frames that should be bright are brighter than those that should be dark. How certain that
/// is, is the share of all such pairs for which it holds (the area under the ROC curve; H. B. Mann, D. R. Whitney,
/// "On a test of whether one of two random variables is stochastically larger than the other", 1947). It needs no
/// tone curve, as any curve keeps the order, and a foreign frame counts only once, however bright it is.
enum DelayCode {
    /// The longest delay considered, in frames.
    static let longestDelay = 10

    /// A maximal-length sequence (x^5 + x^3 + 1), then its beginning once more: every frame that is judged follows at
    /// least a longest delay of it, and over one period the sequence looks like noise to every shift of itself.
    static let levels: [Bool] = {
        let period: [Bool] = [
            1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0,
        ].map { $0 == 1 }
        return period + period.prefix(longestDelay)
    }()

    /// The share of the pairs that must be in order. With a wrong delay half of them are, and two periods in a thousand
    /// reach 0.8 by chance; a camera that ignores one write in nine, or loses a frame now and then, still reaches 0.9.
    private static let order = 0.85
    /// The least by which a delay must beat every other.
    private static let margin = 0.25

    /// The delay of what was written, in frames; nil where none stands out.
    ///
    /// - Parameter canInvert: whether the first level may be the darker one.
    static func delay(_ experiment: ControlExperiment, canInvert: Bool = false) -> Int? {
        let writes = experiment.writes.map { (after: $0.after, isFirst: $0.isFirst) }
        guard let first = writes.first, let last = writes.last else { return nil }
        let judged = experiment.shots.filter { shot in
            !(first.after &+ UInt32(longestDelay)).isAfter(shot.frame) && !shot.frame.isAfter(last.after &+ 1)
        }
        let shots = judged.map { (frame: $0.frame, brightness: $0.grid.mean) }
        let scores = (1...longestDelay).map { delay in
            let share = orderedShare(shots, writes, delay: UInt32(delay))
            return canInvert ? max(share, 1 - share) : share
        }
        guard let best = scores.max(), best >= order, let place = scores.firstIndex(of: best) else { return nil }
        let others = scores.enumerated().filter { $0.offset != place }.map(\.element)
        return others.allSatisfy { $0 <= best - margin } ? place + 1 : nil
    }

    private static func orderedShare(
        _ shots: [(frame: UInt32, brightness: Float)], _ writes: [(after: UInt32, isFirst: Bool)], delay: UInt32
    ) -> Double {
        var (first, second): ([Float], [Float]) = ([], [])
        for shot in shots {
            guard let write = writes.last(where: { !($0.after &+ delay).isAfter(shot.frame) }) else { continue }
            if write.isFirst { first.append(shot.brightness) } else { second.append(shot.brightness) }
        }
        guard !first.isEmpty, !second.isEmpty else { return 0.5 }
        let ordered = first.reduce(0.0) { sum, one in
            sum + second.reduce(0.0) { $0 + (one > $1 ? 1 : one == $1 ? 0.5 : 0) }
        }
        return ordered / Double(first.count * second.count)
    }

    /// Whether the two levels look alike.
    static func isFlat(_ experiment: ControlExperiment) -> Bool {
        let means = experiment.shots.map(\.grid.mean)
        return (means.max() ?? 0) - (means.min() ?? 0) < 0.01
    }

    /// Why the pictures showed nothing, and what to do, in words that follow the camera's name.
    static func reason(_ experiment: ControlExperiment) -> String {
        let grids = experiment.shots.map(\.grid)
        let count = Double(max(1, grids.count * (grids.first?.samples.count ?? 1)))
        let white = Double(grids.reduce(0) { $0 + $1.samples.count { $0 > 0.97 } }) / count
        let black = Double(grids.reduce(0) { $0 + $1.samples.count { $0 < 0.03 } }) / count
        if grids.isEmpty { return "delivers no picture whose brightness can be read; check its cable and its format" }
        if white > 0.9 { return "sees nothing but white, even at its shorter exposure; darken the scene" }
        if black > 0.9 { return "sees nothing but black, even at its longer exposure; light the scene" }
        if isFlat(experiment) {
            return "shows the same picture at every exposure; turn off any automatic of its own"
        }
        return "does not follow its exposure after a constant number of frames; keep the light constant"
    }
}

extension LuminanceGrid {
    /// The mean code value, which rises with the light, whatever the tone curve.
    var mean: Float { samples.reduce(0, +) / Float(samples.count) }
}
