import CaptureModel
import Synchronization

/// Judges taken frames, off the camera's thread: whether they are whole, and exposed as asked for.
///
/// A frame that reports its exposure has already been judged by that; otherwise its picture is compared, as
/// ``ExposureVerifier`` does. A picture that shows another step's exposure means that the camera's delays are not what
/// they were thought to be.
final class FrameJudge: Sendable {
    enum Outcome: Sendable {
        case fit(JudgedFrame)
        case unfit(TakenFrame, CaptureError, corrected: ControlDelays?)
    }

    private enum Job: Sendable {
        case reference(ActiveCapture, UInt32, any FrameContents, Exposure)
        case judge(TakenFrame)
    }

    /// The most by which a frame may be off from what a delay predicts, in EV.
    private static let tolerance = 0.25
    /// The same, where a delay is to be ruled out.
    private static let narrowTolerance = 0.15

    private let jobs: AsyncStream<Job>.Continuation

    /// - Parameter onOutcome: is told of each frame, in order, on the judge's own task.
    init(onOutcome: @escaping @Sendable (Outcome) -> Void) {
        // Never longer than the brackets that were accepted.
        let (stream, continuation) = AsyncStream<Job>.makeStream()
        jobs = continuation
        Task.detached(priority: .high) {
            for await job in stream {
                switch job {
                case .reference(let capture, let frame, let contents, let exposure):
                    guard let grid = try? contents.luminanceGrid() else { continue }
                    capture.exposing.withLock { $0.verifier.addReference(frame, grid, exposure) }
                case .judge(let taken):
                    onOutcome(Self.outcome(of: taken))
                }
            }
        }
    }

    deinit {
        jobs.finish()
    }

    /// The scene as it is before a capture's first step.
    func addReference(
        _ capture: ActiveCapture, _ frame: UInt32, _ contents: any FrameContents, _ exposure: Exposure
    ) {
        jobs.yield(.reference(capture, frame, contents, exposure))
    }

    func judge(_ taken: TakenFrame) {
        jobs.yield(.judge(taken))
    }

    private static func outcome(of taken: TakenFrame) -> Outcome {
        let wanted = taken.capture.prepared.steps[taken.step].values.exposure
        let grid: LuminanceGrid?
        do {
            grid = try taken.contents.luminanceGrid()
        } catch {
            return .unfit(taken, CaptureError(.frameDropped, "its frame arrived broken (\(error))"), corrected: nil)
        }
        if let told = taken.info.exposure {
            // The machine takes no frame that reports another exposure.
            let isAsked = wanted != Exposure()
            return fit(taken, grid, told, isAsked ? .verified : .unverifiable(reason: "no exposure was asked for"))
        }
        return outcome(of: taken, grid, wanted)
    }

    private static func outcome(of taken: TakenFrame, _ grid: LuminanceGrid?, _ wanted: Exposure) -> Outcome {
        guard taken.capture.prepared.settings.photo.isExposureVerificationEnabled else {
            return fit(taken, grid, nil, .unverifiable(reason: "the request switched off comparing pictures"))
        }
        if taken.capture.prepared.steps[taken.step].values.whiteBalance != nil {
            return fit(
                taken, grid, nil, .unverifiable(reason: "the white balance of the step changes the brightness as well"))
        }
        let judgement = taken.capture.exposing.withLock { $0.verifier.judge(grid, wanted: wanted) }
        switch judgement {
        case .verified(let exposure, let ev):
            taken.capture.exposing.withLock { $0.hasVerified = true }
            note(taken, ev)
            return fit(taken, grid, exposure, .verified)
        case .unverifiable(let reason):
            return fit(taken, grid, nil, .unverifiable(reason: reason))
        case .mismatch(let ev):
            note(taken, ev)
            let corrected = correctedDelays(taken)
            if let change = taken.capture.exposing.withLock({ $0.verifier.lightChange }), !mayBeOfOtherSteps(taken) {
                return fit(taken, grid, nil, .unverifiable(reason: change))
            }
            let much = (abs(ev) * 10).rounded() / 10
            let error = CaptureError(
                .exposureMismatch, "its frame got \(much) EV \(ev > 0 ? "more" : "less") light than \(wanted) gives")
            return .unfit(taken, error, corrected: corrected)
        }
    }

    private static func fit(
        _ taken: TakenFrame, _ grid: LuminanceGrid?, _ verified: Exposure?, _ verification: Verification
    ) -> Outcome {
        let curve = taken.capture.prepared.profile?.response ?? .assumed
        // What all steps have in common was written with the first of them.
        let isWritten = taken.capture.prepared.steps[taken.step].values.exposure != Exposure()
        let all = taken.capture.exposing.withLock { $0.applied }
        let controls = taken.capture.prepared.steps[taken.step].values.controls
        let common = all.sorted { $0.key < $1.key }.reduce(ControlValues()) { $1.value.over($0) }
        let written = controls.reduce(ControlValues()) { sum, control in
            (all[taken.step] ?? ControlValues()).only(control).over(common.only(control)).over(sum)
        }
        let applied = (all[taken.step] ?? ControlValues()).over(ControlValues(taken.inForce)).exposure
        return .fit(
            JudgedFrame(
                taken: taken, applied: isWritten ? applied : nil,
                appliedOthers: written.only(.focus).over(written.only(.whiteBalance)), verified: verified,
                verification: verification,
                brightness: grid.map { Metering.brightness(of: $0, curve) }))
    }

    // MARK: The delays

    /// A frame shows 2^ev times the light that was asked for.
    private static func note(_ taken: TakenFrame, _ ev: Double) {
        let prepared = taken.capture.prepared
        guard let wanted = prepared.profile?.light(of: prepared.steps[taken.step].values.exposure) else { return }
        taken.capture.exposing.withLock { $0.evidence?.observed(taken.info.sequence, light: wanted + ev) }
    }

    /// Other delays, if they alone explain all frames so far and the ones in use do not.
    private static func correctedDelays(_ taken: TakenFrame) -> ControlDelays? {
        guard let profile = taken.capture.prepared.profile,
            let evidence = taken.capture.exposing.withLock({ $0.evidence }), evidence.isTelling
        else { return nil }
        let found = evidence.delays(
            among: candidates(taken, profile), tolerance: tolerance, light: profile.light)
        return found.flatMap { $0.isUnique && $0.delays != profile.delays ? $0.delays : nil }
    }

    /// Whether frames that are all off by one amount may just be those of other steps, as when evenly spaced steps land
    /// late.
    private static func mayBeOfOtherSteps(_ taken: TakenFrame) -> Bool {
        guard let profile = taken.capture.prepared.profile,
            let evidence = taken.capture.exposing.withLock({ $0.evidence })
        else { return true }
        return evidence.areExplained(
            byOtherThan: profile.delays, among: candidates(taken, profile), LightWatch.evidence,
            ofNewest: LightWatch.window, tolerance: narrowTolerance, light: profile.light)
    }

    private static func candidates(_ taken: TakenFrame, _ profile: CameraProfile) -> [ControlDelays] {
        let steps = taken.capture.prepared.steps.map(\.values)
        func varies(_ control: CameraControl) -> Bool { Set(steps.map { $0.only(control) }).count > 1 }
        return profile.delays.neighbours.filter { candidate in
            // A control that does not vary shows nothing.
            (varies(.exposureDuration) || candidate.exposureDuration == profile.delays.exposureDuration)
                && (varies(.gain) || candidate.gain == profile.delays.gain)
        }
    }
}

extension ControlDelays {
    /// These and every other pair of delays up to ten frames, the likeliest first: the same for both, near these.
    fileprivate var neighbours: [ControlDelays] {
        func distance(_ other: ControlDelays) -> Int {
            let (byExposure, byGain) = (other.exposureDuration - exposureDuration, other.gain - gain)
            return abs(byExposure) + abs(byGain) + 2 * abs(byExposure - byGain)
        }
        let all = (1...10).flatMap { exposure in
            (1...10).map { ControlDelays(exposureDuration: exposure, gain: $0) }
        }
        return all.sorted { distance($0) < distance($1) }
    }
}
