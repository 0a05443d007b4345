package import CaptureModel
import Glibc

/// Judges by a frame's picture whether it is exposed as asked for; pure.
///
/// A picture has no absolute brightness, so each frame is compared with one of the same scene whose exposure is
/// known: a reference from before the bracket, then every frame that was verified against it. The best is close in
/// light, where more places are neither black nor clipped in both, and was itself seen to be just as bright as it
/// should be: what one reading was off by, the next would inherit. A single frame can be wrong, so a reference is taken
/// only where most of the frames before the bracket agree.
package struct ExposureVerifier: Sendable {
    /// What a picture says about its exposure.
    package enum Judgement: Hashable, Sendable {
        /// With the exposure that the picture shows, as a duration; it is 2^ev times the light that was asked for.
        case verified(Exposure, ev: Double)
        /// The picture shows 2^ev times the light that was asked for.
        case mismatch(ev: Double)
        /// It cannot be determined, and why not.
        case unverifiable(reason: String)
    }

    private struct Reference {
        let grid: LuminanceGrid
        let light: Double
        let exposure: Exposure
        /// What its own picture was off by when it was verified, in EV.
        var error = 0.0

        /// By how much a reading against it may be off, for a picture that ought to have this light, in EV.
        func uncertainty(_ expected: Double) -> Double { error + tolerancePerEV * abs(light - expected) }

        /// Whether the exposures differ in nothing but the duration.
        func hasSensitivity(of other: Exposure) -> Bool { exposure.gain == other.gain && exposure.iso == other.iso }
    }

    /// How well a picture's light can be read between neighbours in exposure, in EV.
    private static let tolerance = 0.15
    /// The brightness of what is left of a blown picture can lag the light by this much more, in EV.
    private static let lag = 0.35
    /// The curve's own error grows with the distance.
    private static let tolerancePerEV = 0.04

    private let profile: CameraProfile?
    /// The gains that the bracket uses.
    private let gains: Set<Double>
    private var watch = LightWatch(tolerance: Self.tolerance)
    /// Whether the last frame was compared with one of another gain or ISO.
    private var hasOtherSensitivity = false
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

    /// Adds a frame from before the bracket, which should have this exposure. It counts once, not to agree with itself.
    package mutating func addReference(_ frame: UInt32, _ grid: LuminanceGrid, _ exposure: Exposure) {
        guard let light = profile?.light(of: exposure) else { return }
        candidates[frame] = Reference(grid: grid, light: light, exposure: exposure)
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
                    ? "no exposure was asked for" : "the camera does not report what it exposes with")
        }
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
                hasOtherSensitivity = !measured.reference.hasSensitivity(of: wanted)
                watch.note(wanted: wantedLight, ev: error, mayBeGain: hasOtherSensitivity)
                return .mismatch(ev: error)
            }
            watch.reset()
            if let reason = blindness(wanted.gain) { return .unverifiable(reason: reason) }
            references.append(Reference(grid: grid, light: wantedLight, exposure: wanted, error: abs(error)))
            var exposure = wanted
            exposure.duration = wanted.duration.map { ExposureDuration(seconds: $0.seconds * exp2(error)) }
            return .verified(exposure, ev: error)
        }
    }

    /// How the light has changed since the bracket began, as a reason, if the last frame that was judged shows that
    /// rather than a wrong exposure; nil where it does not.
    package var lightChange: String? {
        watch.lightChange.map { ev in
            let change = "the light changed by \((ev * 10).rounded() / 10) EV"
            // A gain that did not act is off by one amount at every duration, too.
            if hasOtherSensitivity { return change + ", or the gain or ISO did not act" }
            guard abs(ev) > LightWatch.largest else { return change }
            return change + ", or the picture that it is compared with has another exposure"
        }
    }

    /// Whether an exposure would tell a change of light from a wrong exposure, after frames that could not; nil where
    /// nothing more is needed.
    package var otherExposure: ((Exposure) -> Bool)? {
        guard let wanted = watch.lacksOtherThan, let profile else { return nil }
        return { exposure in
            guard let light = profile.light(of: exposure) else { return false }
            return LightWatch.isOther(light, than: wanted)
        }
    }

    /// Why a picture cannot show whether a gain was in force, rather than another one of the bracket or from before it;
    /// nil where it can.
    private func blindness(_ gain: Double?) -> String? {
        guard let gain, let profile else { return nil }
        let others = gains.union(references.compactMap(\.exposure.gain)).subtracting([gain])
        guard !others.isEmpty else { return nil }
        guard profile.knows(gain: gain) else { return "what a gain of \(gain) does on this camera is not known" }
        let twin = others.sorted().first { profile.looksAlike(gain, $0, within: 2 * Self.tolerance) }
        return twin.map { "gains of \(gain) and \($0) look alike on this camera" }
    }

    private struct Unreadable: Error {
        let text: String
    }

    private func measure(
        _ grid: LuminanceGrid, near expected: Double, _ gain: Double?
    ) -> Result<(light: Double, distance: Double, reference: Reference), Unreadable> {
        guard let curve = profile?.response, curve.source != .assumed else {
            let cause = profile?.limitation.map { ": \($0)" } ?? ""
            return .failure(Unreadable(text: "the camera has no response curve\(cause); run: volley-node calibrate"))
        }
        var reason = "the frames before the bracket do not agree on the light"
        let isKnown = profile?.knows(gain: gain) ?? false
        // A gain that was not measured cannot be compared with another one.
        let comparable = references.filter { reference in
            reference.exposure.gain == gain || isKnown && profile?.knows(gain: reference.exposure.gain) ?? false
        }
        if comparable.isEmpty, !references.isEmpty { reason = "what the camera's gain does is not known" }
        for reference in comparable.sorted(by: { $0.uncertainty(expected) < $1.uncertainty(expected) }) {
            switch LightChange(from: reference.grid, to: grid, curve) {
            case .measured(let ev): return .success((reference.light + ev, abs(ev), reference))
            case .clipped: reason = "the picture is clipped"
            case .sceneMoved: return .failure(Unreadable(text: "the scene moved"))
            }
        }
        return .failure(Unreadable(text: reason))
    }
}
