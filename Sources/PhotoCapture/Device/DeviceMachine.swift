import CaptureModel

/// Decides what a camera is told and what its user sees; pure.
///
/// Its shell tells the camera what the effects say, right after a frame and on the camera's own thread, and reports
/// what became of it. So it is known what was in force on every frame.
///
/// ```
///                      frame(_:)                      carried out by the shell
/// orders of the user --------------> .tell(order) ------------> told(_:) --the frame it acts on--> .complete
///                                                  \----------> refused(_:) ---------------------> .fail
///
/// free --reserve()--> held: the capture's writes alone --release()--> put back after the next frame --> free
/// ```
struct DeviceMachine: Sendable {
    /// What is to be done outside, in this order.
    enum Effect: Sendable {
        /// Tell the camera; ``told(_:_:_:after:now:)`` or ``refused(_:_:_:)`` reports what became of it.
        case tell(ControlQueue.Order, Purpose, after: UInt32?)
        /// Hand something to the driver's automatic or take it back, if the driver will.
        case setAutomatic(CameraAutomatic)
        /// Make the frames last longer or shorter, if the driver will.
        case setFrameDuration(Int64)
        /// Find out what automatics have chosen: ``noteAutomatics(_:)``.
        case readAutomatics
        /// Find out whether the lens still moves: ``focusing(_:)``.
        case askFocus
        case complete(Int, MonotonicTime)
        case fail(Int, any Error)
        case keep(CameraProfile)
        /// Fit a curve, while frames go by: ``fitted(_:of:)``.
        case fit([ExposedGrid], calibration: Int)
        case calibrated([Int], Result<CameraProfile, any Error>)
    }

    /// Why the camera is told something.
    enum Purpose: Sendable {
        case order(Int)
        case metering
        case calibration(Int)
        /// To restore what something that is over had overwritten; the timeline already has it.
        case puttingBack
        /// A capture that holds the controls.
        case capture
    }

    /// What the camera itself can do in its active format.
    private(set) var camera: CameraCapabilities
    /// What the user sees.
    var properties: DeviceProperties
    var isLocked = false
    /// What was written, and when it acts.
    var timeline = ControlTimeline()
    var lastFrame: UInt32?
    /// What observers were told was in force on the newest frame.
    private var noted = ControlValues()
    /// The newest frame's stamp; nil before the first of a flow.
    private var newestStamp: FrameStamp?
    /// What the camera's own clock was last said to stamp.
    private var deviceMoment: DeviceStamp.Moment?
    private var cadence = Cadence()
    var queue = ControlQueue()
    /// What becomes of the modes when an order is over.
    var changes: [Int: ModeChange] = [:]
    private var lastID = 0
    var hold: Hold?
    /// Captures that are over, and whose controls are still to be put back.
    var released: [Hold] = []
    /// What the controls should be set to from the next start on; nil while the camera runs, or never ran.
    private var wanted: ControlValues?
    var meter = Meter()
    var focus = FocusWatch()
    var phase: PhaseFollower?
    var calibration: Calibration?
    var doubt = ProfileDoubt()
    var counts = CameraCounts()
    /// Whether somebody has switched the stabiliser.
    var isStabilizationSet = false
    /// Counts what has kept learning in the background from beginning.
    var relearningTurn = 0
    private var effects: [Effect] = []

    /// What a capture found, and what it has overwritten.
    struct Hold: Sendable {
        /// Nil until the capture's first frame has been dealt with.
        var found: ControlValues?
        var overridden: Set<CameraControl> = []
        let isStabilized: Bool
    }

    init(_ camera: CameraCapabilities, profile: CameraProfile?) {
        self.camera = camera
        properties = DeviceProperties(capabilities: camera.extended(by: profile))
        properties.profile = profile
        if camera.isMeteredByCore || camera.hasAutoExposure {
            properties.exposureMode = .continuousAutoExposure
            properties.isAdjustingExposure = camera.isMeteredByCore
        }
        if camera.hasAutoFocus { properties.focusMode = .continuousAutoFocus }
        if camera.whiteBalance.hasAutomatic { properties.whiteBalanceMode = .continuousAutoWhiteBalance }
        if let profile, profile.source == .calibrated, profile.response == nil {
            // The scene may show more this time.
            doubt.note(hasMismatches: true, hasVerified: false)
        }
    }

    /// Whether the core's own automatic can meter the camera.
    var metersItself: Bool { camera.isMeteredByCore }

    /// After how many frames the controls act.
    var delays: ControlDelays { properties.profile?.delays ?? PreparedCapture.unknownDelays }

    /// What was set, or chosen by the automatic, whatever a capture has overwritten.
    var chosen: ControlValues {
        hold?.found ?? released.reduce(timeline.written) { valuesToPutBack($1).over($0) }
    }

    /// Whether a capture has the controls, or what it overwrote is still to be put back.
    var isHeld: Bool { hold != nil || !released.isEmpty }

    mutating func emit(_ effect: Effect) { effects.append(effect) }

    /// What is to be done; each effect is given once.
    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// A number for what somebody waits for.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: Start and stop

    /// The flow begins.
    ///
    /// - Returns: what the controls should be set to.
    mutating func willStart() -> ControlValues {
        settleHolds()
        // A start that failed has written nothing, and takes nothing away.
        let wanted = timeline.written.over(wanted ?? ControlValues())
        self.wanted = wanted
        (timeline, lastFrame, phase, cadence) = (ControlTimeline(), nil, nil, Cadence())
        newestStamp = nil
        meter.forget()
        properties.failure = nil
        return wanted
    }

    /// What the driver's automatics are to be told before the first frame.
    var startingAutomatics: [CameraAutomatic] {
        let now = properties
        var automatics: [CameraAutomatic] = []
        if now.capabilities.hasAutoFocus {
            automatics.append(
                .focus(isOn: now.focusMode == .continuousAutoFocus, now.autoFocusRangeRestriction))
        }
        if now.capabilities.whiteBalance.hasAutomatic {
            automatics.append(.whiteBalance(isOn: now.whiteBalanceMode == .continuousAutoWhiteBalance))
        }
        if now.capabilities.hasAutoExposure, !metersItself {
            automatics.append(.exposure(isOn: now.exposureMode == .continuousAutoExposure))
        }
        if isStabilizationSet { automatics.append(.lensStabilization(isOn: now.isLensStabilizationOn)) }
        return automatics
    }

    /// What the stabiliser was found at, which nobody has switched yet.
    mutating func foundStabilization(isOn: Bool) {
        if !isStabilizationSet { properties.isLensStabilizationOn = isOn }
    }

    /// What to write before the first frame: the exposure too, which may be in the driver's own hands; and all that is
    /// in force with it.
    func startingValues(_ former: ControlValues, found: ControlValues) -> (write: ControlValues, all: ControlValues) {
        var wanted = former
        // What an automatic chose before is not to be set by hand now.
        if properties.focusMode == .continuousAutoFocus { wanted.lensPosition = nil }
        if properties.whiteBalanceMode == .continuousAutoWhiteBalance { wanted.whiteBalance = nil }
        var values = wanted.over(found)
        if let range = camera.exposureDurationRange, metersItself {
            let guess = min(max(Self.firstExposure, range.lowerBound), range.upperBound)
            values.exposureDuration = values.exposureDuration ?? guess
        }
        return (wanted.over(ControlValues(values.exposure)), values)
    }

    /// Where the automatic begins when nothing better is known.
    private static let firstExposure = ExposureDuration(nanoseconds: 10_000_000)

    /// The camera runs with these values.
    mutating func didStart(_ camera: CameraCapabilities, _ values: ControlValues) {
        self.camera = camera
        wanted = nil
        let ordered = timeline.written
        timeline = ControlTimeline(inForce: values)
        if let profile = properties.profile {
            // The stream is already running: the first frames do not have the values yet. Their numbers begin with 0.
            timeline.wrote(values, after: lastFrame ?? .max, profile.delays)
        }
        // It may have failed already.
        properties.isRunning = properties.failure == nil
        // What was ordered meanwhile may have been overwritten.
        if ordered != ControlValues() { queue.add(nextID(), .init(values: ordered)) }
        resumeMetering(from: values.exposure)
        properties.isAdjustingExposure = meter.loop != nil
        (properties.lensPosition, properties.whiteBalance) = (values.lensPosition ?? 1, values.whiteBalance)
    }

    /// The flow ends: what waits for frames waits in vain.
    mutating func stop(_ error: CaptureError, isFailure: Bool = false) {
        properties.isRunning = false
        if isFailure {
            counts.losses += 1
            properties.failure = error
        }
        settleHolds()
        for id in queue.removeAll() { failed(id, error) }
        if let calibration = calibration.take() {
            // What the calibration tried is not to stay.
            timeline.wrote(ControlValues(calibration.base), after: nil, ControlDelays(1))
            emit(.calibrated(calibration.waiting.sorted(), .failure(error)))
        }
        properties.calibrationProgress = nil
    }

    /// The camera has another format; what was learned about the old one does not hold for it.
    ///
    /// - Parameter stored: what is known about cameras like it.
    mutating func setFormat(_ camera: CameraCapabilities, stored: CameraProfile?) {
        self.camera = camera
        // A model's delays and response do not depend on the size.
        let kept = properties.profile.flatMap { $0.pixelFormat == camera.pixelFormat ? $0 : nil }
        properties.profile = kept ?? stored
        properties.capabilities = camera.extended(by: properties.profile)
        // Both belong to the format, as on Apple's systems.
        properties.activeMaxExposureDuration = nil
        properties.exposurePointOfInterest = .centre
        meter.point = nil
    }

    // MARK: Frames

    /// A frame has arrived: completes what has come into force, and tells the camera what waited for a frame.
    mutating func frame(_ seen: FrameInfo) -> Arrival {
        var frame = corrected(seen)
        // Other stamps do not depend on how a frame's bytes travel.
        let lateness = seen.arrival.map { cadence.frame(seen.sequence, $0, camera.frameDurationNanoseconds) }
        frame.lateness = seen.stamp == .arrival ? lateness ?? nil : 0
        count(seen)
        lastFrame = frame.sequence
        newestStamp = frame.stamp
        if case .deviceClock(let stamp) = seen.stamp { deviceMoment = stamp.moment }
        let values = timeline.advance(to: frame.sequence)
        let exposed = frame.exposure ?? values.exposure
        let start = frame.pace(
            duration: exposed.duration, frameDurationNanoseconds: camera.frameDurationNanoseconds,
            readoutNanoseconds: camera.readoutNanoseconds)
        note(exposed, values)
        for id in queue.frame(frame.sequence) { finished(id, start) }
        putBack(after: frame.sequence)
        let isSteady = timeline.isSteady
        if hold == nil, calibration == nil, !frame.isBehind {
            for entry in queue.takeWaiting() { emit(.tell(entry.order, .order(entry.id), after: frame.sequence)) }
        }
        return Arrival(
            frame: frame, start: start, values: values, isSteady: isSteady, isHeld: hold != nil,
            isCalibrating: calibration != nil)
    }

    private mutating func count(_ frame: FrameInfo) {
        counts.frames += 1
        if frame.isError { counts.damagedFrames += 1 }
        if let lastFrame { counts.missingFrames += Int(max(0, Int32(bitPattern: frame.sequence &- lastFrame) - 1)) }
    }

    /// A frame, and what the device makes of it.
    struct Arrival: Sendable {
        let frame: FrameInfo
        let start: MonotonicTime
        let values: ControlValues
        let isSteady: Bool
        let isHeld: Bool
        let isCalibrating: Bool
    }

    /// Corrects a frame's stamps by what was measured of the camera's.
    private func corrected(_ seen: FrameInfo) -> FrameInfo {
        var frame = seen
        var key = profileKey
        let offsets = properties.profile?.startOffsets
        if case .deviceClock(var stamp) = seen.stamp {
            // Frames are paced by their arrivals, and so with the correction of those.
            stamp.arrival = stamp.arrival + (offsets?[key] ?? 0)
            frame.stamp = .deviceClock(stamp)
            key = profileKey(stamp.moment)
        }
        if let offset = offsets?[key] { (frame.timestamp, frame.correction) = (seen.timestamp + offset, offset) }
        if let measured = properties.profile?.lamps?[key], measured.holds(seen.stamp.source, camera) {
            frame.lamp = measured.lamp
        }
        return frame
    }

    /// How the start of an exposure of this length will be reported, and how well known; nil before the first frame.
    ///
    /// - Parameter duration: nil for what is set.
    func nextStart(_ duration: ExposureDuration?) -> ExposureStart? {
        newestStamp.map { stamp in
            var frame = corrected(FrameInfo(sequence: 0, timestamp: MonotonicTime(nanoseconds: 0), stamp: stamp))
            frame.lateness = 0
            return frame.exposureStart(
                duration: duration ?? chosen.exposureDuration,
                frameDurationNanoseconds: camera.frameDurationNanoseconds,
                readoutNanoseconds: camera.readoutNanoseconds)
        }
    }

    /// Tells observers what the frame was exposed with.
    private mutating func note(_ exposure: Exposure, _ values: ControlValues) {
        properties.exposure = exposure
        // What another program has changed since is not in the timeline, and stays.
        if properties.focusMode == .locked, values.lensPosition != noted.lensPosition {
            properties.lensPosition = values.lensPosition ?? properties.lensPosition
        }
        if properties.whiteBalanceMode == .locked, values.whiteBalance != noted.whiteBalance {
            properties.whiteBalance = values.whiteBalance ?? properties.whiteBalance
        }
        noted = values
    }

    /// Whether the picture of a frame is wanted: for the calibration, for the automatic, or to report the offset in the
    /// other modes.
    mutating func wantsLuminance(of frame: FrameInfo) -> Bool {
        // While behind the camera, there is no time to look.
        guard !frame.isBehind else { return false }
        if calibration != nil { return true }
        guard metersItself, !frame.isError, !isHeld, timeline.isSteady else { return false }
        return meter.wants(camera.frameDurationNanoseconds)
    }

    /// The picture of a frame; nil where it was not wanted, or is broken.
    mutating func saw(_ grid: LuminanceGrid?, of arrival: Arrival) {
        let frame = arrival.frame
        guard calibration == nil else { return calibrate(frame, grid) }
        // A calibration that has ended meanwhile left it with an exposure of its own.
        guard let grid, !arrival.isCalibrating else { return }
        let curve = properties.profile?.response ?? .assumed
        let next = meter.saw(
            grid, of: frame.sequence, curve, timeline.inForce.exposure, bias: properties.exposureTargetBias)
        if let next { emit(.tell(.init(values: ControlValues(next)), .metering, after: frame.sequence)) }
        properties.exposureTargetOffset = meter.targetOffset
        guard let loop = meter.loop else { return }
        properties.isAdjustingExposure = !loop.isSettled
        if loop.isSettled, properties.exposureMode == .autoExpose {
            (properties.exposureMode, meter.loop) = (.locked, nil)
        }
    }

    /// Follows the lens, and keeps the next frames on the grid.
    mutating func follow(_ arrival: Arrival) {
        guard calibration == nil else { return }
        if focus.frame(camera.frameDurationNanoseconds, isFollowed: isFocusFollowed) { emit(.askFocus) }
        if let duration = phase?.frame(arrival.frame, start: arrival.start, isFine: hold != nil) {
            emit(.setFrameDuration(duration))
        }
    }

    // MARK: What was learned

    /// What distinguishes this camera from others of its model.
    var profileKey: String { camera.serialNumber ?? camera.place ?? camera.cameraID }

    /// The same for its own clock: that one's correction says nothing about arrivals, nor theirs about it.
    private func profileKey(_ moment: DeviceStamp.Moment) -> String { "\(profileKey) \(moment.rawValue)" }

    /// Adds to the correction of the timestamps, in nanoseconds, and keeps it, with how well starts are then known.
    ///
    /// - Returns: whether it is kept: for the camera's own clock it is not while nobody knows what that stamps.
    mutating func moveStart(by nanoseconds: Int64, _ lamp: LampMeasurement?) -> Bool {
        let isByClock = lamp?.source == .deviceClock
        guard let key = isByClock ? deviceMoment.map(profileKey) : profileKey else { return false }
        var profile =
            properties.profile
            ?? CameraProfile(
                modelID: camera.modelID, pixelFormat: camera.pixelFormat,
                delays: camera.controlDelays ?? PreparedCapture.unknownDelays, source: .known, response: nil)
        profile.startOffsets = (profile.startOffsets ?? [:]).merging([key: nanoseconds]) { $0 + $1 }
        // What was measured before held with the former offset.
        profile.lamps = (profile.lamps ?? [:]).filter { $0.key != key }
        if let lamp { profile.lamps?[key] = StartMeasurement(lamp, camera) }
        adopt(profile)
        return true
    }

    /// Uses a profile from now on, and keeps it.
    mutating func adopt(_ profile: CameraProfile) {
        var own = profile
        // The store knows better about others of its model.
        let keys = [profileKey] + DeviceStamp.Moment.allCases.map(profileKey)
        own.startOffsets = profile.startOffsets?.filter { keys.contains($0.key) }
        own.lamps = profile.lamps?.filter { keys.contains($0.key) }
        emit(.keep(own))
        // The camera may have been given another format meanwhile.
        guard profile.pixelFormat == camera.pixelFormat else { return }
        properties.profile = profile
        properties.capabilities = camera.extended(by: profile)
    }

    /// A bracket has shown that the controls act after different numbers of frames.
    mutating func correct(_ delays: ControlDelays) {
        guard var profile = properties.profile, profile.delays != delays else { return }
        profile.delays = delays
        adopt(profile)
    }
}
