import Glibc

/// By how much the exposure differs between two frames of one scene, read from the pictures; pure.
///
/// Each place of the grid that is neither black nor clipped in both frames votes with the ratio of its light. What
/// does not follow the exposure (a lamp that clips, a black corner, a caption laid over the picture) votes apart
/// from the many, so the densest half EV of votes decides, not their mean.
package enum LightChange: Hashable, Sendable {
    /// The second frame got 2^ev times the light of the first.
    case measured(ev: Double)
    /// Too few places are neither black nor clipped in both frames.
    case clipped
    /// The places disagree: not only the exposure changed.
    case sceneMoved

    /// Votes within so many EV of each other agree.
    private static let width: Float = 0.5
    /// So many places must be readable in both frames.
    private static let fewest = 24
    /// So large a share of the votes must agree.
    private static let agreement: Float = 0.5

    package init(from first: LuminanceGrid, to second: LuminanceGrid, _ curve: ResponseCurve) {
        let votes = Self.votes(first, second, curve)
        guard votes.count >= Self.fewest else {
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

    /// Whether so much of a picture is blown out that one colour after the other clips in what is left, whose
    /// brightness then lags the light.
    static func isBlown(_ grid: LuminanceGrid, _ curve: ResponseCurve) -> Bool {
        2 * grid.samples.count { $0 > curve.usable.upperBound } > grid.samples.count
    }

    private struct Vote {
        let ev: Float
        let weight: Float
    }

    private static func votes(_ first: LuminanceGrid, _ second: LuminanceGrid, _ curve: ResponseCurve) -> [Vote] {
        zip(first.samples, second.samples).compactMap { before, after in
            guard curve.usable.contains(before), curve.usable.contains(after) else { return nil }
            // A reading is as good as the curve is flat there.
            let noise = curve.slope(before) + curve.slope(after)
            return Vote(ev: curve.logLight(after) - curve.logLight(before), weight: 1 / noise)
        }
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
