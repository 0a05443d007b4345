import CaptureModel
import DurableFiles
import RigClock
import RigProtocol

/// What a node says that does what it is told at once, without a camera: a bracket of three in two formats is 14 events,
/// six of them with a photo.
enum ScriptedNode {
    static let camera = CameraCapabilities(
        cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
        dimensions: Dimensions(width: 640, height: 480), frameDurationNanoseconds: 33_000_000, formats: [.jpeg, .dng],
        maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))
    static let photo = [UInt8](repeating: 7, count: 1000)
    static let eventCount = 14
    private static let hash = Digest.of(photo)

    /// The plan that it is for.
    static func plan() -> Plan {
        guard let bracket = try? Bracket.burst(3) else { preconditionFailure("it is a bracket") }
        return Plan(name: "p", bracket: bracket, formats: [.jpeg, .dng], policy: .all)
    }

    static func hello(_ name: NodeName) -> Hello {
        Hello(
            node: name, instance: "1", capabilities: camera, cameraError: nil, lastUniqueID: UniqueID(rawValue: 0))
    }

    static func heartbeat() -> Heartbeat {
        let estimate = ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1000)
        return Heartbeat(clock: ClockReport(estimate: estimate, phaseNanoseconds: 0))
    }

    static func prepared(_ id: UniqueID) -> Prepared {
        let timing = CaptureTiming(
            leadNanoseconds: 100_000_000, stepNanoseconds: [33_000_000, 33_000_000, 33_000_000],
            frameDurationNanoseconds: 33_000_000)
        return Prepared(uniqueID: id, settings: settings(id), timing: timing)
    }

    private static func settings(_ id: UniqueID) -> ResolvedPhotoSettings {
        ResolvedPhotoSettings(
            uniqueID: id, photoDimensions: camera.dimensions, rawPhotoDimensions: camera.dimensions,
            expectedPhotoCount: 6,
            exposures: (1...3).map {
                ResolvedExposure(
                    sequenceCount: $0, exposureTargetBias: nil, duration: ExposureDuration(nanoseconds: 4_000_000),
                    iso: 100)
            })
    }

    /// All that it says of a capture.
    static func events(_ id: UniqueID) -> [CaptureEvent] {
        let settings = settings(id)
        var events: [CaptureEvent] = []
        func add(_ kind: CaptureEventKind, _ step: Int?, _ photo: PhotoRecord? = nil) {
            events.append(
                CaptureEvent(
                    uniqueID: id, sequence: events.count + 1, kind: kind, time: MonotonicTime(nanoseconds: 1),
                    rigTime: RigTime(nanoseconds: 1), sequenceCount: step,
                    resolvedSettings: kind == .willBeginCapture ? settings : nil, photo: photo))
        }
        add(.willBeginCapture, nil)
        for step in 1...3 {
            add(.willCapturePhoto, step)
            add(.didCapturePhoto, step)
        }
        for count in 1...6 {
            let step = (count + 1) / 2
            var record = PhotoRecord(
                photoCount: count, sequenceCount: step, format: count % 2 == 1 ? .jpeg : .dng,
                requested: settings.exposures[step - 1])
            (record.applied, record.verified) = (record.requested.exposure, record.requested.exposure)
            record.verification = .verified
            record.exposureStartRigTime = RigTime(nanoseconds: 1)
            record.exposureStartUncertaintyNanoseconds = 1000
            record.file = PhotoFile(
                byteCount: photo.count, sha256: hash, dimensions: camera.dimensions,
                imageUniqueID: "0123456789abcdef0123456789abcdef")
            add(.didFinishProcessingPhoto, step, record)
        }
        add(.didFinishCapture, nil)
        return events
    }
}

extension ResolvedExposure {
    fileprivate var exposure: Exposure { Exposure(duration: duration, iso: iso) }
}
