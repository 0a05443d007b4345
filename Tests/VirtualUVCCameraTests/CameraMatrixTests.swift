import CaptureModel
import Foundation
import Glibc
import PhotoCapture
import SimulatedCamera
import SimulationKit
import Testing
import Video4Linux
import VirtualUVCCamera

/// Which cameras are tried, as in 1-40; a few of them where nobody says.
private let seeds: ClosedRange<UInt64> = {
    let ends = (ProcessInfo.processInfo.environment["VOLLEY_UVC_CAMERAS"] ?? "2-3").split(separator: "-")
    let numbers = ends.compactMap { UInt64($0) }
    return (numbers.first ?? 1)...(numbers.last ?? 1)
}()

/// A camera that a seed makes up.
private struct AnyCamera {
    var character = CameraCharacter()
    let (exposureDelay, gainDelay, latency, jitter): (Int, Int, Int, Int)
    let format: PixelFormat

    init(seed: UInt64) {
        var random = SplitMix64(state: seed)
        // Each tone, range and law comes as often as the others.
        character.tone = CameraCharacter.Tone.allCases[Int(seed % 6)]
        character.range = CameraCharacter.Range.allCases[Int(seed / 2 % 3)]
        character.gainLaw = CameraCharacter.GainLaw.allCases[Int(seed % 5)]
        character.latchesGain = Int.random(in: 0..<8, using: &random) == 0
        if Int.random(in: 0..<8, using: &random) == 0 { character.exposureLimit = 120 }
        if Int.random(in: 0..<8, using: &random) == 0 { character.ignoredExposures = 9 }
        exposureDelay = Int.random(in: 0...3, using: &random)
        gainDelay = Int.random(in: 0...3, using: &random)
        latency = [0, 4, 40].randomElement(using: &random)!
        jitter = [0, 4, 30].randomElement(using: &random)!
        format = seed.isMultiple(of: 4) ? .mjpeg : .yuyv
        character.exposesLate = seed.isMultiple(of: 2)
        character.clock = CameraCharacter.Clock.allCases[Int(seed / 3 % 5)]
        if seed % 5 == 2 { character.stalls = 23 }
    }

    var options: [String] {
        [
            "--tone", character.tone.rawValue, "--range", character.range.rawValue,
            "--gain-law", character.gainLaw.rawValue, "--exposure-limit", "\(character.exposureLimit / 10)",
            "--ignored-exposures", "\(character.ignoredExposures)", "--exposure-delay", "\(exposureDelay)",
            "--gain-delay", "\(gainDelay)", "--latency", "\(latency)", "--jitter", "\(jitter)",
            "--clock", character.clock.rawValue, "--stalls", "\(character.stalls)",
        ] + (character.latchesGain ? ["--latches-gain"] : []) + (character.exposesLate ? ["--exposes-late"] : [])
    }

    /// What a session is told that its clock stamps, also where it has none that is right.
    var presentationTime: DeviceStamp.Moment { character.clock == .exposureEnd ? .endOfExposure : .startOfExposure }

    /// Whether it can do what a step asks for.
    func canTake(_ step: Exposure) -> Bool {
        (step.duration?.nanoseconds ?? 0) <= character.exposureLimit * 100_000
    }

    /// By how much more light a frame got than was asked for, in EV, by what its picture says.
    func error(_ code: FrameCode, _ asked: Exposure) -> Double {
        let time = log2(Double(code.exposure) / 1000 / ((asked.duration?.seconds ?? 1) * 1000))
        guard let gain = asked.gain else { return time }
        return time + log2(character.gainLaw.factor(Double(code.gain)) / character.gainLaw.factor(gain))
    }
}

/// What came of all cameras.
private struct Tally {
    var (verified, unverifiable, failed, mislabelled) = (0, 0, 0, 0)
    var (takeable, delivered) = (0, 0)
    /// Those that the camera's own clock told are among the starts.
    var (starts, stamped, outside) = (0, 0, 0)
    /// How far the exposures that were told lie from the true ones, in EV.
    var errors: [Double] = []

    mutating func note(_ photo: ReadPhoto, _ camera: AnyCamera) {
        let asked = photo.record.requested
        let exposure = Exposure(duration: asked.duration, gain: asked.gain)
        let canTake = camera.canTake(exposure)
        if canTake { takeable += 1 }
        guard photo.record.error == nil, let code = photo.code else {
            failed += 1
            return
        }
        if canTake { delivered += 1 }
        noteStart(photo.record, code)
        guard photo.record.verification == .verified else {
            unverifiable += 1
            return
        }
        verified += 1
        let error = camera.error(code, exposure)
        // A tenth of an EV is a step of 100 µs at 1 ms.
        if abs(error) > 0.1 {
            mislabelled += 1
            Issue.record("asked for \(exposure), got \(error) EV more: \(photo.record)")
        }
        if let told = photo.record.verified?.duration?.seconds, let wanted = asked.duration?.seconds {
            errors.append(abs(log2(told / wanted) - error))
        }
    }

    private mutating func noteStart(_ record: PhotoRecord, _ code: FrameCode) {
        guard let start = record.exposureStart else { return }
        starts += 1
        if start.source == .deviceClock { stamped += 1 }
        if abs(start.time.nanoseconds - code.exposureStart) > start.uncertaintyNanoseconds { outside += 1 }
    }

    func percentile(_ share: Double) -> Double {
        let sorted = errors.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}

@Suite(
    "Many USB cameras through uvcvideo", .enabled(if: UVCRig.program != nil, "runs in the guest: deploy/guest"),
    .serialized)
struct CameraMatrixTests {
    @Test("are learned, and their photos judged by what their own pictures say")
    func cameras() async throws {
        var tally = Tally()
        for seed in seeds {
            let camera = AnyCamera(seed: seed)
            var own = Tally()
            let begun = ContinuousClock.now
            do {
                try await shoot(camera, seed, &tally, &own)
            } catch {
                Issue.record("camera \(seed): \(error)")
            }
            print(
                "camera \(seed): \(camera.options.joined(separator: " ")):", own.verified, "verified,",
                own.unverifiable, "unverifiable,", own.failed, "failed,", own.mislabelled, "mislabelled;",
                ContinuousClock.now - begun)
        }
        print(
            "matrix: \(tally.verified) verified, \(tally.unverifiable) unverifiable, \(tally.failed) failed,",
            "\(tally.mislabelled) mislabelled; \(tally.delivered) of \(tally.takeable) delivered;",
            "\(tally.outside) of \(tally.starts) starts outside, \(tally.stamped) told by their own clocks; told exposures off by",
            tally.percentile(0.5),
            "(median)", tally.percentile(0.99), "(99 %)", tally.percentile(1), "(worst) EV")
        #expect(tally.mislabelled == 0)
        #expect(Double(tally.delivered) >= 0.95 * Double(tally.takeable))
        #expect(Double(tally.outside) <= 0.001 * Double(tally.starts))
    }

    private func shoot(_ camera: AnyCamera, _ seed: UInt64, _ tally: inout Tally, _ own: inout Tally) async throws {
        let rig = try await UVCRig(
            serial: "ANY-\(seed)", options: camera.options, format: camera.format,
            presentationTime: camera.presentationTime)
        let profile = try await rig.device.calibrate()
        #expect(profile.response != nil, "camera \(seed): \(profile.limitation ?? "")")
        #expect(profile.delays.exposureDuration == camera.exposureDelay + 2, "camera \(seed)")
        for bracket in try brackets() {
            for photo in try readPhotos(try await rig.events(bracket)) {
                tally.note(photo, camera)
                own.note(photo, camera)
                if let error = photo.record.error { print("camera \(seed): \(error)") }
                if let reason = photo.record.verification?.reason { print("camera \(seed): \(reason)") }
            }
        }
    }

    private func brackets() throws -> [Bracket] {
        func bracket(_ steps: [(Double, Double?)]) throws -> Bracket {
            try Bracket(
                steps.map { milliseconds, gain in
                    .manualExposure(
                        exposureDuration: .value(ExposureDuration(seconds: milliseconds / 1000)), iso: .current,
                        gain: gain.map { .value($0) } ?? .current)
                })
        }
        return [
            try bracket([(2, nil), (8, nil), (1, nil), (16, nil), (4, nil)]),
            try bracket([(4, 0), (4, 120), (4, 40), (4, 200)]),
            try bracket([(2, 0), (1, 100), (8, 30), (4, 160)]),
        ]
    }
}
