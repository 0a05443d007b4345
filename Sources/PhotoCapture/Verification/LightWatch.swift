import CaptureModel

/// Tells a change of the light from wrong exposures: with it, most of the newest frames are off by the same amount,
/// whatever was asked for. So are all frames if the one from before the bracket was not exposed as assumed; pure.
///
/// ```
/// steady --off by one amount, at exposures apart--> changed --right again--> steady
///    |                                                 |
///    +--off by one amount, at one exposure: judge another one
/// ```
struct LightWatch: Sendable {
    private struct Deviation {
        /// The light that was asked for, and what was seen beyond it, in EV.
        let wanted: Double
        let ev: Double
        /// Whether a gain or an ISO that did not act would look the same.
        let mayBeGain: Bool
    }

    /// A larger change, in EV, is taken for a gain that did not act, where it can be one.
    static let largest = 0.7
    /// The number of frames that must be off by one amount, and among how many of the newest: the camera may not have
    /// made one of the exposures.
    static let (evidence, window) = (3, 4)
    /// Exposures further apart than this, in EV, count as different ones.
    private static let apart = 0.5

    /// Amounts that differ by less than this, in EV, count as one.
    private let tolerance: Double
    private var deviations: [Deviation] = []
    /// How much more light there is than before the bracket, in EV; nil while that is not seen.
    private var change: Double?

    init(tolerance: Double) {
        self.tolerance = tolerance
    }

    /// A frame is right, or says nothing about the light.
    mutating func reset() { (deviations, change) = ([], nil) }

    /// A frame shows 2^ev times the light that was asked for.
    mutating func note(wanted: Double, ev: Double, mayBeGain: Bool) {
        let newest = Deviation(wanted: wanted, ev: ev, mayBeGain: mayBeGain)
        deviations = deviations.suffix(Self.window - 1) + [newest]
        if let change, abs(ev - change) <= tolerance { return }
        change = nil
        let agreeing = deviations.filter { abs($0.ev - ev) <= tolerance }
        guard agreeing.count >= Self.evidence, spread(agreeing.map(\.wanted)) > Self.apart,
            spread(agreeing.map(\.ev)) <= tolerance, agreeing.allSatisfy(Self.canBeLight)
        else { return }
        change = agreeing.reduce(0) { $0 + $1.ev } / Double(agreeing.count)
    }

    private static func canBeLight(_ deviation: Deviation) -> Bool {
        !deviation.mayBeGain || abs(deviation.ev) <= largest
    }

    /// By how much the light has changed, where the newest frame is off by that; nil where it may be a wrong exposure.
    var lightChange: Double? { change }

    /// The light that was asked for in the newest frames, in EV, where they are off by one amount and another exposure
    /// would show why; nil where nothing more is needed.
    var lacksOtherThan: Double? {
        let newest = deviations.suffix(Self.evidence - 1)
        guard change == nil, newest.count == Self.evidence - 1, let last = newest.last, Self.canBeLight(last),
            spread(newest.map(\.ev)) <= tolerance, spread(newest.map(\.wanted)) <= Self.apart
        else { return nil }
        return last.wanted
    }

    /// Whether an exposure counts as different from that one.
    static func isOther(_ light: Double, than wanted: Double) -> Bool { abs(light - wanted) > apart }

    private func spread(_ values: [Double]) -> Double { (values.max() ?? 0) - (values.min() ?? 0) }
}
