import CaptureModel
import Glibc

/// Measures what a unitless gain is worth, whatever its law; pure.
///
/// Five gains across the range are tried, then further ones wherever the middle one of three is not on a straight line
/// with its neighbours. Each is shot at the duration that, as far as is known, brings the picture back to the first
/// one's brightness, so that light is compared where it is read best.
struct GainSurvey: Sendable {
    private struct Interval {
        let low: Double
        let high: Double
        let depth: Int
        /// Whether the gain in its middle was tried.
        var isTried = false
    }

    private struct Attempt {
        let gain: Double
        /// What the gain is thought to be worth, in EV.
        var guess: Double
        var tries = 0
        /// What it was measured to be worth.
        var measured: [Double] = []
    }

    /// Intervals down to a quarter of the range are split whatever the pictures show.
    private static let leastDepth = 2
    private static let deepest = 7
    private static let mostPictures = 120
    /// The number of pictures after which the survey is given up without a reference: in flickering light no two agree.
    private static let mostReferences = 8
    /// Where the middle is further from the straight line than this, in EV, both halves are tried.
    private static let straightness = 0.06
    /// Ends closer than this, in EV, need no middle.
    private static let fineness = 0.12
    /// A picture further from the first one than this, in EV, is shot again, nearer to it.
    private static let reach = 0.75
    private static let mostTries = 7
    /// How well two pictures, each of a write of its own, must agree, in EV: a camera may ignore one.
    private static let repeatability = 0.1

    private let base: Exposure
    private let durations: ClosedRange<ExposureDuration>
    private let curve: ResponseCurve
    private var reference: (grid: LuminanceGrid, duration: ExposureDuration)?
    /// The picture that may become the reference, once it has been seen twice.
    private var candidate: LuminanceGrid?
    private var picturesLeft = Self.mostPictures
    private var attempt: Attempt?
    private var gains: [Double]
    private var intervals: [Interval]
    /// Rising in gain; in EV above the exposure that the survey began with.
    private var found: [CameraProfile.GainPoint] = []

    /// - Parameters:
    ///   - base: an exposure with a gain, that shows the scene well.
    ///   - durations: those that do not lengthen the frame.
    init(range: ClosedRange<Double>, base: Exposure, durations: ClosedRange<ExposureDuration>, curve: ResponseCurve) {
        (self.base, self.durations, self.curve) = (base, durations, curve)
        let (low, high) = (range.lowerBound.rounded(.up), range.upperBound.rounded(.down))
        gains = [low, high]
        intervals = [Interval(low: low, high: high, depth: 0)]
    }

    /// The gains measured so far, in EV above the lowest of them.
    var points: [CameraProfile.GainPoint] {
        let lowest = found.first?.ev ?? 0
        return found.map { CameraProfile.GainPoint(gain: $0.gain, ev: $0.ev - lowest) }
    }

    /// What to write next; nil when everything that can be known is.
    mutating func next() -> ControlValues? {
        guard picturesLeft > 0 else { return nil }
        picturesLeft -= 1
        guard reference != nil else {
            return picturesLeft < Self.mostPictures - Self.mostReferences ? nil : ControlValues(base)
        }
        while attempt == nil {
            if let gain = gains.popLast() {
                attempt = Attempt(gain: gain, guess: guess(gain))
            } else if !split() {
                return nil
            }
        }
        return attempt.map { values($0.gain, $0.guess) }
    }

    /// What was last asked for shows this; nil where it could not be seen.
    mutating func measured(_ shown: (values: ControlValues, grid: LuminanceGrid)?) {
        guard let reference else {
            return chooseReference(shown)
        }
        guard var current = attempt.take() else { return }
        current.tries += 1
        guard let shown, let duration = shown.values.exposureDuration else { return retry(current) }
        let moved = log2(duration.seconds / reference.duration.seconds)
        switch LightChange(from: reference.grid, to: shown.grid, curve) {
        case .measured(let change):
            let ev = change - moved
            guard abs(change) <= Self.reach || current.tries >= 3 || !canMove(current.guess, to: ev) else {
                current.guess = ev
                return retry(current)
            }
            if let twin = current.measured.first(where: { abs($0 - ev) <= Self.repeatability }) {
                note(CameraProfile.GainPoint(gain: current.gain, ev: (twin + ev) / 2))
            } else {
                current.measured.append(ev)
                retry(current)
            }
        case .clipped, .sceneMoved:
            let step = shown.grid.mean > reference.grid.mean ? 2.0 : -2.0
            if canMove(current.guess, to: current.guess + step) {
                current.guess += step
                retry(current)
            }
        }
    }

    private mutating func chooseReference(_ shown: (values: ControlValues, grid: LuminanceGrid)?) {
        guard let shown, let duration = shown.values.exposureDuration else { return }
        if let candidate, case .measured(let ev) = LightChange(from: candidate, to: shown.grid, curve),
            abs(ev) <= Self.repeatability, candidate.isLike(shown.grid)
        {
            reference = (shown.grid, duration)
        }
        candidate = shown.grid
    }

    private mutating func retry(_ current: Attempt) {
        if current.tries < Self.mostTries { attempt = current }
    }

    private mutating func note(_ point: CameraProfile.GainPoint) {
        let place = found.firstIndex { $0.gain > point.gain } ?? found.endIndex
        found.insert(point, at: place)
    }

    /// Chooses the next gain between two others.
    private mutating func split() -> Bool {
        guard !intervals.isEmpty else { return false }
        var interval = intervals.removeFirst()
        let middle = ((interval.low + interval.high) / 2).rounded()
        guard middle > interval.low, middle < interval.high else { return true }
        let ends = (ev(interval.low), ev(interval.high))
        if interval.isTried {
            let isFineEnough = interval.depth + 1 >= Self.leastDepth && isStraight(interval, middle, ends)
            if !isFineEnough, interval.depth < Self.deepest { splitHalves(interval, middle) }
        } else if interval.depth < Self.leastDepth || !isFlat(ends) {
            gains.append(middle)
            interval.isTried = true
            intervals.append(interval)
        }
        return true
    }

    /// Whether the ends are so close to each other that no middle is needed.
    private func isFlat(_ ends: (Double?, Double?)) -> Bool {
        guard let low = ends.0, let high = ends.1 else { return false }
        return abs(high - low) < Self.fineness
    }

    private func isStraight(_ interval: Interval, _ middle: Double, _ ends: (Double?, Double?)) -> Bool {
        guard let low = ends.0, let high = ends.1, let known = ev(middle) else { return false }
        let share = (middle - interval.low) / (interval.high - interval.low)
        return abs(low + (high - low) * share - known) <= Self.straightness
    }

    private mutating func splitHalves(_ interval: Interval, _ middle: Double) {
        intervals.append(Interval(low: interval.low, high: middle, depth: interval.depth + 1))
        intervals.append(Interval(low: middle, high: interval.high, depth: interval.depth + 1))
    }

    private func ev(_ gain: Double) -> Double? { found.first { $0.gain == gain }?.ev }

    private func guess(_ gain: Double) -> Double {
        guard let above = found.first(where: { $0.gain >= gain }), let below = found.last(where: { $0.gain <= gain })
        else { return found.min { abs($0.gain - gain) < abs($1.gain - gain) }?.ev ?? 0 }
        guard above.gain > below.gain else { return above.ev }
        return below.ev + (above.ev - below.ev) * (gain - below.gain) / (above.gain - below.gain)
    }

    private func values(_ gain: Double, _ ev: Double) -> ControlValues {
        ControlValues(Exposure(duration: duration(for: ev), gain: gain))
    }

    private func duration(for ev: Double) -> ExposureDuration {
        let wanted = ExposureDuration(seconds: (base.duration?.seconds ?? 0) * exp2(-ev))
        return min(max(wanted, durations.lowerBound), durations.upperBound)
    }

    private func canMove(_ guess: Double, to other: Double) -> Bool {
        let (one, two) = (duration(for: guess).seconds, duration(for: other).seconds)
        return abs(log2(two / one)) > 0.3
    }
}
