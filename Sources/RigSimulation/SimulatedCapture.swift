import CaptureModel
import NodeAgent
import PhotoCapture
import RigProtocol
import RigRules
import SimulatedCamera
import SimulationKit

/// What a camera makes of one capture, in virtual time: every debt paid, in photos or in errors.
///
/// The core's own machine decides which frame is which step and what is written when; frames that are lost, broken or of
/// another exposure, controls that land late or are refused, and the judge of pictures are the weather.
struct SimulatedCapture {
    static let frame = Int64.milliseconds(33)
    static let delays = ControlDelays(2)
    private static let size = Dimensions(width: 64, height: 48)

    /// What goes wrong with a camera during a capture.
    struct Weather {
        var faults: [UInt32: SimulatedCameraConfiguration.Fault] = [:]
        /// The share of writes that the driver refuses, and of frames whose picture turns out to be broken.
        var refusal = 0.0
        /// The step from which on there is no camera any more.
        var brokenFrom: Int?
        /// Whether the driver tells each frame's exposure; else its picture shows it.
        var tellsExposure = true
    }

    let settings: ResolvedPhotoSettings
    let timing: CaptureTiming
    private let formats: [PhotoFormat]
    private let steps: [ControlValues]

    init(_ prepare: Prepare) {
        let (plan, size) = (prepare.plan, Self.size)
        let iso = plan.settings?.first?.camera.iso
        formats = plan.formats
        steps = plan.bracket.steps.map { step in
            guard case .manualExposure(let duration, _, _) = step else { return ControlValues() }
            return ControlValues(Exposure(duration: duration.value))
        }
        var settings = ResolvedPhotoSettings(
            uniqueID: prepare.uniqueID, photoDimensions: formats.contains { !$0.isRaw } ? size : .zero,
            rawPhotoDimensions: formats.contains(.dng) ? size : .zero, expectedPhotoCount: plan.expectedPhotoCount,
            exposures: steps.enumerated().map { index, values in
                ResolvedExposure(
                    sequenceCount: index + 1, exposureTargetBias: nil, duration: values.exposureDuration, iso: iso)
            })
        settings.formats = formats
        self.settings = settings
        timing = CaptureTiming(
            leadNanoseconds: Int64(Self.delays.longest + 1) * Self.frame,
            stepNanoseconds: steps.map { max(Self.frame, $0.exposureDuration?.nanoseconds ?? 0) },
            frameDurationNanoseconds: Self.frame)
    }

    /// The deliveries after the order to fire, at which instants of virtual time.
    ///
    /// - Parameters:
    ///   - clock: the board's, in which the order and all times are told.
    ///   - now: the instant at which the order comes.
    func deliveries(
        at time: MonotonicTime, stepOffsets: [Int64], _ clock: SimulatedClock, now: Int64, node: NodeName,
        _ weather: Weather, _ random: inout SplitMix64
    ) throws -> [(at: Int64, delivery: SpoolQueue.Delivery)] {
        let machine = BracketMachine(
            steps: steps, delays: Self.delays, frameDuration: Self.frame, readout: 0, fireTime: time,
            stepOffsets: stepOffsets, retakeLimit: max(8, steps.count))
        var shooting = Shooting(self, machine, clock, node, weather, random)
        defer { random = shooting.random }
        // Frames long before the time change nothing.
        let begin =
            max(now, clock.rig(time) - 10 * Self.frame) + Int64.random(in: 0..<Self.frame, using: &shooting.random)
        return try shooting.run(from: begin, orderedAt: now)
    }

    /// A file unlike that of any other photo.
    fileprivate static func file(
        _ node: NodeName, _ id: UniqueID, _ photoCount: Int, _ format: PhotoFormat, _ random: inout SplitMix64
    ) -> SpoolQueue.File {
        let head = (format.signatures.first ?? []) + Array("\(node) \(id) \(photoCount) ".utf8)
        return SpoolQueue.File(
            bytes: head + (0..<Int.random(in: 100...2_500, using: &random)).map { UInt8(truncatingIfNeeded: $0) },
            dimensions: size, imageUniqueID: "\(id)-\(photoCount)")
    }

    /// The camera from the order on, frame by frame.
    private struct Shooting {
        private static let broken = CaptureError(.deviceWasDisconnected, "The camera was unplugged.")
        private static let mostFrames: UInt32 = 500

        var random: SplitMix64
        private let capture: SimulatedCapture
        private var machine: BracketMachine
        private let clock: SimulatedClock
        private let node: NodeName
        private let weather: Weather
        private var driver: SimulatedDriver
        /// What the core takes to be in force: as if each write landed in time.
        private var belief: SimulatedDriver
        private var deliveries: [(at: Int64, delivery: SpoolQueue.Delivery)] = []
        private var announced: Set<Int> = []
        private var photoCount = 0
        /// The instant at which the last photo is encoded.
        private var ready: Int64 = 0
        private var isBroken = false
        private var isFinished = false

        init(
            _ capture: SimulatedCapture, _ machine: BracketMachine, _ clock: SimulatedClock, _ node: NodeName,
            _ weather: Weather, _ random: SplitMix64
        ) {
            (self.capture, self.machine, self.clock) = (capture, machine, clock)
            (self.node, self.weather, self.random) = (node, weather, random)
            var configuration = SimulatedCameraConfiguration(seed: 1)
            configuration.frameDuration = SimulatedCapture.frame
            configuration.delays = SimulatedCapture.delays
            belief = SimulatedDriver(configuration)
            configuration.faults = weather.faults
            driver = SimulatedDriver(configuration)
        }

        mutating func run(
            from start: Int64, orderedAt now: Int64
        ) throws -> [(at: Int64, delivery: SpoolQueue.Delivery)] {
            add(.willBeginCapture, now) { [settings = capture.settings] in $0.event.resolvedSettings = settings }
            var begin = start
            var number: UInt32 = 0
            while !isFinished {
                guard number < Self.mostFrames else {
                    throw Oracle.Violation("\(node) never comes to the end of \(capture.settings.uniqueID)")
                }
                let (values, believed) = (driver.expose(number), belief.expose(number))
                let end = begin + max(SimulatedCapture.frame, values.exposureDuration?.nanoseconds ?? 0)
                if isBroken {
                    try perform(machine.abort(Self.broken), values, begin, end)
                } else if weather.faults[number] != .drop {
                    let info = FrameInfo(
                        sequence: number, timestamp: clock.local(begin), stamp: .startOfExposure,
                        isError: weather.faults[number] == .error,
                        exposure: weather.tellsExposure ? values.exposure : nil)
                    try perform(machine.frame(info, inForce: believed.exposure), values, begin, end)
                }
                (begin, number) = (end, number + 1)
            }
            add(.didFinishCapture, max(ready, begin) + 1_000_000) { _ in }
            return deliveries.sorted { $0.at < $1.at }
        }

        private mutating func perform(
            _ actions: [BracketMachine.Action], _ values: ControlValues, _ begin: Int64, _ end: Int64
        ) throws {
            for action in actions {
                switch action {
                case .reference: break
                case .write(let step, let wanted):
                    if Double.random(in: 0..<1, using: &random) < weather.refusal {
                        let refusal = CaptureError(.deviceFailed, "The driver refused it.")
                        try perform(machine.refused(step, refusal), values, begin, end)
                    } else {
                        _ = (driver.write(wanted), belief.write(wanted))
                    }
                case .willCapture(let step): announce(step, end)
                case .take(let step):
                    let verdict = judge(values.exposure, step)
                    if verdict == .accepted { try take(step, values.exposure, begin, end) }
                    try perform(machine.judged(step, verdict), values, begin, end)
                case .fail(let step, let error): pay(step, nil, error, begin, end)
                case .finish: isFinished = true
                }
            }
        }

        /// What the picture shows.
        private mutating func judge(_ exposure: Exposure, _ step: Int) -> BracketMachine.Verdict {
            if Double.random(in: 0..<1, using: &random) < weather.refusal {
                return .rejected(CaptureError(.frameDropped, "its frame arrived broken"))
            }
            guard !weather.tellsExposure, !exposure.matches(capture.steps[step].exposure) else { return .accepted }
            return .rejected(CaptureError(.exposureMismatch, "its frame has \(exposure)"))
        }

        private mutating func announce(_ step: Int, _ time: Int64) {
            guard announced.insert(step).inserted else { return }
            add(.willCapturePhoto, time) { $0.event.sequenceCount = step + 1 }
            if weather.brokenFrom == step + 1 { isBroken = true }
        }

        private mutating func take(_ step: Int, _ exposure: Exposure, _ begin: Int64, _ end: Int64) throws {
            guard exposure.matches(capture.steps[step].exposure) else {
                throw Oracle.Violation("\(node) takes \(exposure) for step \(step + 1) of \(capture.settings.uniqueID)")
            }
            pay(step, exposure, nil, begin, end)
        }

        private mutating func pay(
            _ step: Int, _ applied: Exposure?, _ error: CaptureError?, _ begin: Int64, _ end: Int64
        ) {
            announce(step, end)
            add(.didCapturePhoto, end) { $0.event.sequenceCount = step + 1 }
            for format in capture.formats {
                photoCount += 1
                ready = max(ready, end) + Int64.random(in: 1_000_000...80_000_000, using: &random)
                var record = PhotoRecord(
                    photoCount: photoCount, sequenceCount: step + 1, format: format,
                    requested: capture.settings.exposures[step])
                (record.applied, record.error) = (applied, error)
                var file: SpoolQueue.File?
                if error == nil {
                    record.exposureStart = ExposureStart(
                        time: clock.local(begin), uncertaintyNanoseconds: 1000, source: .startOfExposure)
                    file = SimulatedCapture.file(node, capture.settings.uniqueID, photoCount, format, &random)
                }
                add(.didFinishProcessingPhoto, ready) { delivery in
                    delivery.event.sequenceCount = step + 1
                    delivery.event.photo = record
                    delivery.file = file
                }
            }
        }

        private mutating func add(
            _ kind: CaptureEventKind, _ time: Int64, _ change: (inout SpoolQueue.Delivery) -> Void
        ) {
            let event = NodeMachine.CapturedEvent(
                uniqueID: capture.settings.uniqueID, kind: kind, time: clock.local(time))
            var delivery = SpoolQueue.Delivery(event: event)
            change(&delivery)
            deliveries.append((time, delivery))
        }
    }
}
