import CaptureModel

/// The automatic exposure of a device, and what it saw last; pure.
struct Meter: Sendable {
    /// How often a settled picture is metered, in nanoseconds: decoding costs more than it reveals.
    private static let restingInterval: Int64 = 200_000_000

    /// Meters while an automatic exposure mode is on.
    var loop: AutoExposureLoop?
    /// Where it meters; nil for everywhere alike.
    var point: Point?
    /// How far the newest picture is above the target, in EV.
    private(set) var targetOffset = 0.0
    /// The newest picture that was metered, and what was in force on it.
    private(set) var newest: (frame: UInt32, grid: LuminanceGrid, exposure: Exposure)?
    private var sinceMetering: Int64 = 0

    /// The stream ends: frame numbers begin anew, and nothing is to be written before it runs again.
    mutating func forget() { (newest, loop) = (nil, nil) }

    /// A frame has arrived on which it is certain what is in force.
    ///
    /// - Returns: whether its picture is wanted.
    mutating func wants(_ frameDuration: Int64) -> Bool {
        sinceMetering += frameDuration
        let isMoving = loop.map { !$0.isSettled } ?? false
        guard isMoving || sinceMetering >= Self.restingInterval else { return false }
        sinceMetering = 0
        return true
    }

    /// Meters a picture.
    ///
    /// - Returns: the exposure to write now; nil for none.
    mutating func saw(
        _ grid: LuminanceGrid, of frame: UInt32, _ curve: ResponseCurve, _ exposure: Exposure, bias: Double
    ) -> Exposure? {
        let brightness = Metering.brightness(of: grid, curve, pointOfInterest: point)
        newest = (frame, grid, exposure)
        targetOffset = AutoExposureLoop.targetOffset(brightness: brightness, bias: bias)
        return loop?.frame(brightness: brightness)
    }
}

extension DeviceMachine {
    /// Starts or stops metering, as the exposure mode says.
    mutating func resumeMetering(from exposure: Exposure) {
        let isAutomatic =
            properties.exposureMode == .continuousAutoExposure || properties.exposureMode == .autoExpose
        guard isAutomatic, metersItself, let range = meteredDurations else {
            meter.loop = nil
            return
        }
        var loop = AutoExposureLoop(durations: range, isos: camera.isoRange, from: exposure)
        loop.targetBias = properties.exposureTargetBias
        meter.loop = loop
        // It may not begin with what is in force: its own range of times may not allow that.
        if loop.exposure != exposure, properties.isRunning {
            queue.add(nextID(), .init(values: ControlValues(loop.exposure)))
        }
    }

    /// The times that the automatic may use: where an ISO can make up for it, they leave a bracket two stops.
    private var meteredDurations: ClosedRange<ExposureDuration>? {
        guard let range = camera.exposureDurationRange else { return nil }
        let frame = camera.frameDurationNanoseconds
        let usual = ExposureDuration(nanoseconds: camera.isoRange == nil ? frame : frame / 4)
        let longest = min(properties.activeMaxExposureDuration ?? usual, range.upperBound)
        return range.lowerBound...max(longest, range.lowerBound)
    }
}
