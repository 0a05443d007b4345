import Glibc

/// By how much the exposure differs between two frames of one scene, read from the pictures; pure.
///
/// Places near each other vote together, with the ratio of the light of their middle readings, if neither is black or
/// clipped: near black, where noise is as large as the signal, single places that noise lifts into the readable range
/// would show noise alone. What does not follow the exposure (a lamp that clips, a black corner, a caption laid over
/// the picture) votes apart from the many, so the densest half EV of votes decides, not their mean.
package enum LightChange: Hashable, Sendable {
    /// The second frame got 2^ev times the light of the first.
    case measured(ev: Double)
    /// Too few places are neither black nor clipped in both frames.
    case clipped
    /// The places disagree: not only the exposure changed.
    case sceneMoved

    /// The distance within which votes agree, in EV.
    private static let width: Float = 0.5
    /// The number of places that vote together.
    private static let group = 9
    /// The number of groups that must be readable in both frames.
    private static let fewest: Float = 3
    /// The distance from black or clipped at which noise begins to decide what is readable, in code values.
    private static let margin: Float = 0.06
    /// The share of the votes that must agree.
    private static let agreement: Float = 0.5

    package init(from first: LuminanceGrid, to second: LuminanceGrid, _ curve: ResponseCurve) {
        let votes = Self.votes(first, second, curve)
        guard votes.reduce(0, { $0 + $1.certainty }) >= Self.fewest else {
            self = .clipped
            return
        }
        let total = votes.reduce(0) { $0 + $1.weight }
        let (agreeing, weight) = Self.densest(votes)
        guard weight >= Self.agreement * total else {
            self = .sceneMoved
            return
        }
        self = .measured(ev: Double(agreeing.reduce(0) { $0 + $1.ev * $1.weight } / weight))
    }

    /// Whether so much of a picture is blown out that one colour after another clips in the rest, whose brightness then
    /// lags the light.
    static func isBlown(_ grid: LuminanceGrid, _ curve: ResponseCurve) -> Bool {
        2 * grid.samples.count { $0 > curve.usable.upperBound } > grid.samples.count
    }

    private struct Vote {
        let ev: Float
        /// 0 where a reading is on the verge of black or clipped, 1 where it is well within.
        let certainty: Float
        let weight: Float
    }

    private static func votes(_ first: LuminanceGrid, _ second: LuminanceGrid, _ curve: ResponseCurve) -> [Vote] {
        // What is black in both or clipped in both says nothing. To choose by either frame alone would be to choose by
        // its noise.
        let readable = LuminanceGrid.neighbourhoods.filter { place in
            let (before, after) = (first.samples[place], second.samples[place])
            return max(before, after) >= curve.usable.lowerBound && min(before, after) <= curve.usable.upperBound
        }
        return stride(from: 0, to: readable.count, by: group).compactMap { start in
            let places = readable[start..<min(start + group, readable.count)]
            guard places.count > group / 2 else { return nil }
            let before = places.map { first.samples[$0] }.middle
            let after = places.map { second.samples[$0] }.middle
            let certainty = min(certainty(before, curve), certainty(after, curve))
            guard certainty > 0 else { return nil }
            // The flatter the curve there, the better the reading.
            let noise = curve.slope(before) + curve.slope(after)
            return Vote(
                ev: curve.logLight(after) - curve.logLight(before), certainty: certainty, weight: certainty / noise)
        }
    }

    private static func certainty(_ code: Float, _ curve: ResponseCurve) -> Float {
        min(max(0, min(code - curve.usable.lowerBound, curve.usable.upperBound - code) / margin), 1)
    }

    /// The votes in the window that holds the most weight.
    private static func densest(_ unsorted: [Vote]) -> (ArraySlice<Vote>, weight: Float) {
        let votes = unsorted.sorted { $0.ev < $1.ev }
        var (start, weight) = (0, Float(0))
        var best = (range: 0..<0, weight: Float(0))
        for (end, vote) in votes.enumerated() {
            weight += vote.weight
            while vote.ev - votes[start].ev > width {
                weight -= votes[start].weight
                start += 1
            }
            if weight > best.weight { best = (start..<end + 1, weight) }
        }
        return (votes[best.range], best.weight)
    }
}
