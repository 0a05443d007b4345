package import CaptureModel
import Glibc

/// Whether a frame is exposed as was asked for, told from its picture; pure.
///
/// A picture has no absolute brightness, so each frame is compared with one of the same scene whose exposure is
/// known: a reference from before the bracket, then every frame that was verified against it. The nearest in light
/// is the best: more places are neither black nor clipped in both. One frame can be wrong by itself, so a reference
/// is taken only where most of the frames before the bracket agree.
package struct ExposureVerifier: Sendable {
    /// What a picture says of its exposure.
    package enum Judgement: Hashable, Sendable {
        /// With the exposure that the picture shows, as a duration; it is 2^ev times the light that was asked for.
        case verified(Exposure, ev: Double)
        /// The picture shows 2^ev times the light that was asked for.
        case mismatch(ev: Double)
        /// It cannot be told, and why.
        case unverifiable(reason: String)
    }

    private struct Reference {
        let grid: LuminanceGrid
        let light: Double
        let gain: Double?
    }

    /// A picture's light is read as well as this, in EV, between neighbours in exposure.
    private static let tolerance = 0.15
    /// The brightness of what is left of a blown picture can lag the light by so much more, in EV.
    private static let lag = 0.35
    /// The curve's own error grows with the distance.
    private static let tolerancePerEV = 0.04

    /// A light that changes by more is taken for a wrong exposure, in EV: steps are seldom nearer to each other.
    private static let largestLightChange = 0.7
    /// So many frames in a row must be off by one amount.
    private static let lightEvidence = 3

    private let profile: CameraProfile?
    /// The gains that the bracket uses.
    private let gains: Set<Double>
    /// What frames in a row that were not verified were asked for, and what they showed beyond it, in EV.
    private var deviations: [(wanted: Double, ev: Double)] = []
    /// How much more light there is than before the bracket, in EV; nil while that is not seen.
    private var change: Double?
    /// Frames from before the bracket, until the first judgement chooses among them.
    private var candidates: [UInt32: Reference] = [:]
    private var references: [Reference] = []

    /// - Parameters:
    ///   - profile: of the camera, with its response curve.
    ///   - gains: all that the bracket uses, so that none is taken for another.
    package init(profile: CameraProfile?, gains: Set<Double> = []) {
        self.profile = profile
        self.gains = gains
    }

    /// A frame from before the bracket, which ought to have this exposure. It counts once, so as not to agree with itself.
    package mutating func addReference(_ frame: UInt32, _ grid: LuminanceGrid, _ exposure: Exposure) {
        guard let light = profile?.light(of: exposure) else { return }
        candidates[frame] = Reference(grid: grid, light: light, gain: exposure.gain)
    }

    /// Takes the frame that most of the others agree with, itself included.
    private mutating func chooseReference() {
        guard let curve = profile?.response, !candidates.isEmpty else { return }
        let frames = candidates.sorted { $0.key < $1.key }.map(\.value)
        let support = frames.map { one in
            frames.count { other in
                guard case .measured(let ev) = LightChange(from: one.grid, to: other.grid, curve) else { return false }
                return abs(ev - (other.light - one.light)) <= Self.tolerance
            }
        }
        let best = support.max() ?? 0
        if 2 * best > frames.count, let place = support.firstIndex(of: best) {
            references.append(frames[place])
        }
        candidates = [:]
    }

    /// Judges a frame; a verified one serves as a reference from then on.
    package mutating func judge(_ grid: LuminanceGrid?, wanted: Exposure) -> Judgement {
        guard let grid else { return .unverifiable(reason: "the pixel format does not show the brightness") }
        chooseReference()
        guard let wantedLight = profile?.light(of: wanted) else {
            return .unverifiable(
                reason: wanted == Exposure()
                    ? "no exposure was asked for" : "the camera does not tell what it exposes with")
        }
        if let reason = blindness(wanted.gain) { return .unverifiable(reason: reason) }
        switch measure(grid, near: wantedLight, wanted.gain) {
        case .failure(let reason):
            return .unverifiable(reason: reason.text)
        case .success(let measured):
            let error = measured.light - wantedLight
            let tolerance = Self.tolerance + Self.tolerancePerEV * measured.distance
            guard abs(error) <= tolerance else {
                let isVague = profile?.response.map { LightChange.isBlown(grid, $0) } ?? false
                if isVague, abs(error) <= tolerance + Self.lag {
                    return .unverifiable(reason: "most of the picture is clipped")
                }
                deviations.append((wantedLight, error))
                return .mismatch(ev: error)
            }
            deviations = []
            references.append(Reference(grid: grid, light: wantedLight, gain: wanted.gain))
            var exposure = wanted
            exposure.duration = wanted.duration.map { ExposureDuration(seconds: $0.seconds * exp2(error)) }
            return .verified(exposure, ev: error)
        }
    }

    /// By how much the light has changed since the bracket began, in EV, if that is what the newest frames are off by:
    /// frames in a row were, by one amount, whatever was asked for. Nil where it may be a wrong exposure.
    package mutating func lightChange() -> Double? {
        guard let last = deviations.last else { return nil }
        if let change, abs(last.ev - change) <= Self.tolerance { return change }
        let newest = deviations.suffix(Self.lightEvidence)
        let (wanted, evs) = (newest.map(\.wanted), newest.map(\.ev))
        guard newest.count == Self.lightEvidence, let low = evs.min(), let high = evs.max(),
            let darkest = wanted.min(), let brightest = wanted.max(), brightest - darkest > 0.5,
            high - low <= Self.tolerance
        else { return nil }
        let mean = evs.reduce(0, +) / Double(evs.count)
        change = abs(mean) <= Self.largestLightChange ? mean : nil
        return change
    }

    /// Whether another exposure would tell the light from a wrong exposure: frames in a row were off by one amount, but
    /// all of them were asked for about the same.
    ///
    /// - Returns: whether an exposure is another one; nil where nothing more is wanted.
    package func otherExposure() -> ((Exposure) -> Bool)? {
        let newest = deviations.suffix(Self.lightEvidence - 1)
        guard change == nil, newest.count == Self.lightEvidence - 1, let last = newest.last,
            abs(last.ev) <= Self.largestLightChange,
            newest.allSatisfy({ abs($0.ev - last.ev) <= Self.tolerance && abs($0.wanted - last.wanted) <= 0.5 })
        else { return nil }
        let profile = profile
        return { exposure in profile?.light(of: exposure).map { abs($0 - last.wanted) > 0.5 } ?? false }
    }

    /// Why a picture cannot tell whether a gain was in force; nil where it can.
    private func blindness(_ gain: Double?) -> String? {
        guard let gain, let profile, gains.count > 1 else { return nil }
        guard profile.knows(gain: gain) else { return "what a gain of \(gain) does on this camera is not known" }
        let twin = gains.sorted().first { profile.looksAlike(gain, $0, within: 2 * Self.tolerance) }
        return twin.map { "gains of \(gain) and \($0) look alike on this camera" }
    }

    private struct Unreadable: Error {
        let text: String
    }

    private func measure(
        _ grid: LuminanceGrid, near expected: Double, _ gain: Double?
    ) -> Result<(light: Double, distance: Double), Unreadable> {
        guard let curve = profile?.response, curve.source != .assumed else {
            return .failure(Unreadable(text: "the camera has no response curve; run: volley-node calibrate"))
        }
        var reason = "the frames before the bracket do not agree on the light"
        let isKnown = profile?.knows(gain: gain) ?? false
        // What a gain is worth that was not measured is nothing against another one.
        let comparable = references.filter { reference in
            reference.gain == gain || isKnown && profile?.knows(gain: reference.gain) ?? false
        }
        if comparable.isEmpty, !references.isEmpty { reason = "what the camera's gain does is not known" }
        for reference in comparable.sorted(by: { abs($0.light - expected) < abs($1.light - expected) }) {
            switch LightChange(from: reference.grid, to: grid, curve) {
            case .measured(let ev): return .success((reference.light + ev, abs(ev)))
            case .clipped: reason = "the picture is clipped"
            case .sceneMoved: return .failure(Unreadable(text: "the scene moved"))
            }
        }
        return .failure(Unreadable(text: reason))
    }
}
