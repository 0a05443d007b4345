import CaptureModel
import PhotoCapture
import SimulatedCamera
import SimulationKit
import Synchronization
import Testing

/// A session with a camera that tells neither its delays nor what a frame was exposed with.
private struct SilentRig {
    let session = CaptureSession(retryInterval: .milliseconds(20))
    let device: CaptureDevice
    let output = PhotoOutput()

    init(
        _ delays: ControlDelays, profiles: any ProfileStore = NoProfileStore(),
        _ configure: (inout SimulatedCameraConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SimulatedCameraConfiguration(seed: 1)
        configuration.dimensions = Dimensions(width: 160, height: 120)
        configuration.frameDuration = 10_000_000
        configuration.delays = delays
        configuration.tellsExposure = false
        configure(&configuration)
        device = CaptureDevice(SimulatedCamera(configuration), profiles: profiles)
        try session.addInput(device)
        try session.addOutput(output)
        try session.startRunning()
    }

    /// A camera that was learned before anything went wrong with it, however slow this machine is.
    static func learned(
        _ delays: ControlDelays, _ configure: (inout SimulatedCameraConfiguration) -> Void
    ) async throws -> SilentRig {
        let before = try SilentRig(delays)
        let profile = try await before.device.calibrate()
        try before.session.stopRunning()
        return try SilentRig(delays, profiles: OneProfile(profile), configure)
    }

    func photos(_ bracket: Bracket) async throws -> [Photo] {
        var photos: [Photo] = []
        let prepared = try await output.prepare(PhotoBracketSettings(formats: [.jpeg], bracketedSettings: bracket))
        for await timed in try output.fire(prepared) {
            if case .didFinishProcessingPhoto(let photo) = timed.event { photos.append(photo) }
        }
        return photos
    }
}

private func manual(_ milliseconds: [Double], iso: [Double] = [100]) throws -> Bracket {
    try Bracket(
        milliseconds.enumerated().map { index, time in
            .manualExposure(
                exposureDuration: .value(ExposureDuration(seconds: time / 1000)),
                iso: .value(iso[index % iso.count]))
        })
}

@Suite("A camera that tells nothing", .timeLimit(.minutes(2)), .serialized)
struct LearningTests {
    @Test(
        "has its delays learned from its pictures",
        arguments: [(1, 1), (2, 1), (3, 3), (4, 2), (2, 4), (6, 6)])
    func delays(exposure: Int, gain: Int) async throws {
        let rig = try SilentRig(ControlDelays(exposureDuration: exposure, gain: gain))
        defer { try? rig.session.stopRunning() }
        let profile = try await rig.device.calibrate()
        #expect(profile.delays.exposureDuration == exposure && profile.delays.gain == gain)
        #expect(profile.response?.source == .calibrated)
    }

    @Test("has a response that is the camera's own, to where it clips, so that it meters as before", arguments: 1...4)
    func response(seed: UInt64) async throws {
        let rig = try SilentRig(ControlDelays(2)) { $0.seed = seed }
        defer { try? rig.session.stopRunning() }
        let response = try #require(try await rig.device.calibrate().response)
        // The simulated camera has the curve that pictures are meant for; light is relative, so its middle is common.
        for code in stride(from: Float(0.1), through: 1, by: 0.02) {
            let distance = ResponseCurve.assumed.logLight(code) - ResponseCurve.assumed.logLight(0.5)
            let error = response.logLight(code) - response.logLight(0.5) - distance
            // What the verifier grants a picture that is so much lighter or darker; beyond the codes that it uses, the
            // curve is carried on as pictures are meant to be, for metering alone.
            let granted = (response.usable.contains(code) ? 1 : 2) * (0.15 + 0.04 * abs(distance))
            #expect(abs(error) < granted, "code \(code): \(error) EV; \(response.usable)")
        }
    }

    @Test("proves each exposure of a bracket by its picture, from consecutive frames")
    func verified() async throws {
        let rig = try SilentRig(ControlDelays(exposureDuration: 3, gain: 2))
        defer { try? rig.session.stopRunning() }
        try await rig.device.learnControls()
        let photos = try await rig.photos(manual([0.5, 4, 1, 8, 2], iso: [100, 100, 200]))
        #expect(photos.count == 5)
        for photo in photos {
            #expect(photo.record.verification == .verified, "\(photo.record)")
            let shown = photo.record.verified?.duration?.seconds ?? 0
            let wanted = photo.record.requested.duration?.seconds ?? 1
            #expect(abs(shown / wanted - 1) < 0.12)
        }
        let frames = photos.compactMap(\.record.frameSequence)
        #expect(frames == (0..<5).map { frames[0] + $0 })
    }

    @Test("never has a wrongly exposed frame taken for a right one")
    func wrong() async throws {
        let rig = try await SilentRig.learned(ControlDelays(2)) { configuration in
            for frame in stride(from: UInt32(50), to: 2000, by: 7) { configuration.faults[frame] = .wrongExposure }
        }
        defer { try? rig.session.stopRunning() }
        var unverifiable = 0
        for _ in 0..<4 {
            for photo in try await rig.photos(manual([1, 2, 4, 1, 2])) {
                if case .unverifiable(let reason)? = photo.record.verification {
                    // Of two frames that were metered before it one was wrong: nothing is claimed.
                    #expect(reason.contains("do not agree on the light"), "\(photo.record)")
                    unverifiable += 1
                } else {
                    #expect(photo.record.verification == .verified, "\(photo.record)")
                    let shown = photo.record.verified?.duration?.seconds ?? 0
                    let wanted = photo.record.requested.duration?.seconds ?? 1
                    #expect(abs(shown / wanted - 1) < 0.12)
                }
            }
        }
        #expect(unverifiable <= 10, "two brackets of four at the most")
    }

    @Test("is compared with a frame whose exposure is known, also when its automatic was written late just before")
    func late() async throws {
        let rig = try await SilentRig.learned(ControlDelays(1)) { configuration in
            for frame in UInt32(50)..<8000 where frame % 5 < 2 { configuration.faults[frame] = .lateControls }
        }
        defer { try? rig.session.stopRunning() }
        try rig.device.lockForConfiguration()
        for count in 0..<40 {
            // The automatic moves, and the bracket comes as soon as it has settled.
            try rig.device.setExposureTargetBias(.value(count.isMultiple(of: 2) ? -1.2 : 0))
            for photo in try await rig.photos(manual([1, 2, 4])) {
                #expect(photo.record.verification == .verified, "\(photo.record)")
            }
        }
    }

    @Test("loses no photo to a light that changes, and says by how much it did", arguments: [-0.4, 0.25, 0.4])
    func light(ev: Double) async throws {
        let rig = try await SilentRig.learned(ControlDelays(2)) { configuration in
            // There and back again and again, in no step with the brackets.
            for turn in UInt32(0)..<90 { configuration.lights[100 + 29 * turn] = turn.isMultiple(of: 2) ? ev : 0 }
        }
        defer { try? rig.session.stopRunning() }
        var reasons: [String] = []
        for _ in 0..<24 {
            for photo in try await rig.photos(manual([0.5, 4, 1, 8, 2, 1, 4, 2])) {
                #expect(photo.record.error == nil, "\(photo.record)")
                if let reason = photo.record.verification?.reason { reasons.append(reason) }
            }
        }
        #expect(reasons.contains { $0.contains("the light changed by") }, "\(reasons)")
    }

    @Test("whose delay is other than was learned gets right exposures all the same, and a corrected delay")
    func changed() async throws {
        let before = try SilentRig(ControlDelays(2))
        let learned = try await before.device.calibrate()
        try before.session.stopRunning()
        let rig = try SilentRig(ControlDelays(2), profiles: OneProfile(learned.with(ControlDelays(4))))
        defer { try? rig.session.stopRunning() }
        for photo in try await rig.photos(manual([0.5, 4, 1, 8, 2, 1, 4])) {
            #expect(photo.record.verification == .verified, "\(photo.record)")
        }
        #expect(rig.device.profile?.delays.exposureDuration == 2, "of the gain, which did not vary, nothing was seen")
    }

    @Test("whose curve is not its own is learned anew by itself once that has cost a photo")
    func wrongCurve() async throws {
        let before = try SilentRig(ControlDelays(2))
        var profile = try await before.device.calibrate()
        try before.session.stopRunning()
        // As of a camera whose codes mean twice the stops.
        let light = (0..<ResponseCurve.steps).map { 2 * ResponseCurve.assumed.logLight(Float($0) / 255) }
        profile.response = ResponseCurve(source: .calibrated, light: light, usable: 0.06...0.94)
        let store = OneProfile(profile)
        let rig = try SilentRig(ControlDelays(2), profiles: store)
        defer { try? rig.session.stopRunning() }
        let bracket = try manual([1, 4, 2, 8])
        let first = try await rig.photos(bracket)
        #expect(first.contains { $0.record.error?.code == .exposureMismatch })
        // A capture comes first.
        let second = try await rig.photos(bracket)
        #expect(second.contains { $0.record.error?.code == .exposureMismatch } && rig.device.profile == profile)
        for await now in rig.device.properties.values() where now.profile != profile { break }
        for photo in try await rig.photos(bracket) {
            #expect(photo.record.verification == .verified, "\(photo.record)")
        }
        #expect(rig.device.profile?.response != profile.response && store.current == rig.device.profile)
    }

    @Test("that cannot be learned has the exposure that it had, at once")
    func failed() async throws {
        // What it is told lands now a frame late, now in time, under a light that flickers, neither in any order that its
        // pace could fall in with.
        let rig = try SilentRig(ControlDelays(1)) { configuration in
            var random = SplitMix64(state: 1)
            for frame in UInt32(60)..<8000 {
                if Bool.random(using: &random) { configuration.faults[frame] = .lateControls }
                configuration.lights[frame] = Bool.random(using: &random) ? 2 : 0
            }
        }
        defer { try? rig.session.stopRunning() }
        let before = try await rig.device.settledExposure()
        let video = VideoDataOutput()
        try rig.session.addOutput(video)
        for await output in video.frames() {
            if case .frame(let frame) = output, frame.info.sequence >= 60 { break }
        }
        let error = await #expect(throws: CaptureError.self) { try await rig.device.calibrate() }
        #expect(error?.code == .calibrationFailed)
        #expect(try await rig.device.settledExposure()?.duration == before?.duration)
    }

    @Test("can be stopped from being learned, tells how far it is, and has its controls as before")
    func cancelled() async throws {
        let rig = try SilentRig(ControlDelays(2))
        defer { try? rig.session.stopRunning() }
        let before = try await rig.device.settledExposure()
        let learning = Task { try await rig.device.calibrate() }
        for await now in rig.device.properties.values() {
            if now.calibrationProgress ?? 0 > 0.3 { break }
        }
        learning.cancel()
        await #expect(throws: CancellationError.self) { try await learning.value }
        #expect(rig.device.profile == nil && rig.device.properties.value.calibrationProgress == nil)
        for await now in rig.device.properties.values() where now.exposure == before { break }
        _ = try await rig.device.calibrate()
        #expect(rig.device.profile?.response != nil)
    }
}

/// Keeps one profile, as a file would.
private final class OneProfile: ProfileStore {
    private let kept: Mutex<CameraProfile>

    init(_ profile: CameraProfile) { kept = Mutex(profile) }

    var current: CameraProfile { kept.withLock { $0 } }
    func profile(of camera: CameraCapabilities) -> CameraProfile? { current }
    func keep(_ profile: CameraProfile) { kept.withLock { $0 = profile } }
}

extension CameraProfile {
    fileprivate func with(_ delays: ControlDelays) -> CameraProfile {
        var changed = self
        changed.delays = delays
        return changed
    }
}
