import CaptureModel
import PhotoCapture
import SimulatedCamera
import SimulationKit

/// A sensor in virtual time, with registers that act late and frames as long as their exposure needs.
///
/// What is written after frame s has arrived is in force on frame s + delay. The driver cuts an exposure to the frame
/// length that was written last, as V4L2 sensor drivers do.
struct VirtualSensor {
    struct Frame {
        let number: UInt32
        /// In nanoseconds.
        let start: Int64
        let length: Int64
        let exposure: Exposure
    }

    static let firstExposure = Exposure(duration: ExposureDuration(nanoseconds: 5_000_000), iso: 400)
    static let shortestFrame: Int64 = 33_333_333
    /// What a frame is longer than its exposure: lines for the reset.
    static let margin: Int64 = 600_000

    private struct Landing {
        let frame: UInt32
        let control: CameraControl
        let values: ControlValues
    }

    private let delays: ControlDelays
    private var inForce: ControlValues
    private var landings: [Landing] = []
    private var number: UInt32 = 0
    private var time: Int64 = 0
    private var random: SplitMix64
    private let dropRate: Double
    private let lateRate: Double

    /// - Parameters:
    ///   - delays: in frames from the arrival of a frame.
    ///   - dropRate: the share of frames that never arrive.
    ///   - lateRate: the share of writes that act a frame later than the others.
    init(_ delays: ControlDelays, seed: UInt64, dropRate: Double = 0, lateRate: Double = 0) {
        self.delays = delays
        self.dropRate = dropRate
        self.lateRate = lateRate
        random = SplitMix64(state: seed)
        inForce = ControlValues(Self.firstExposure)
        inForce.frameDuration = Self.shortestFrame
    }

    /// Writes after the frame that was returned last.
    mutating func write(_ values: ControlValues) {
        let late: UInt32 = Double.random(in: 0..<1, using: &random) < lateRate ? 1 : 0
        for control in values.controls {
            let frame = number &- 1 &+ UInt32(delays[control]) &+ late
            landings.append(Landing(frame: frame, control: control, values: values.only(control)))
        }
    }

    /// The next frame; nil when it was lost on the way.
    mutating func next() -> Frame? {
        for landing in landings where landing.frame <= number { inForce = landing.values.over(inForce) }
        landings.removeAll { $0.frame <= number }
        let length = max(Self.shortestFrame, inForce.frameDuration ?? 0)
        var exposure = inForce.exposure
        let longest = ExposureDuration(nanoseconds: length - Self.margin)
        exposure.duration = exposure.duration.map { min($0, longest) }
        let frame = Frame(number: number, start: time, length: length, exposure: exposure)
        number &+= 1
        time += length
        return Double.random(in: 0..<1, using: &random) < dropRate ? nil : frame
    }

    /// Writes for a step: the frame is made long enough for its exposure.
    static func values(_ exposure: Exposure) -> ControlValues {
        var values = ControlValues(exposure)
        values.frameDuration = max(shortestFrame, (exposure.duration?.nanoseconds ?? 0) + margin)
        return values
    }
}
