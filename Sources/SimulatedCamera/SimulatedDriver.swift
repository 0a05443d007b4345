import CaptureModel
package import PhotoCapture

/// A simulated camera's controls, and which values are in force on which frame; pure.
package struct SimulatedDriver: Sendable {
    static let isos: ClosedRange<Double> = 100...1600
    /// The largest gain of a colour channel.
    static let maxWhiteBalanceGain = 8.0

    private struct Landing {
        let frame: UInt32
        let values: ControlValues
    }

    private let configuration: SimulatedCameraConfiguration
    private(set) var inForce: ControlValues
    private var landings: [Landing] = []
    private var nextFrame: UInt32 = 0

    package init(_ configuration: SimulatedCameraConfiguration) {
        self.configuration = configuration
        let start = min(ExposureDuration(nanoseconds: 10_000_000), configuration.exposureDurations.upperBound)
        inForce = ControlValues(Exposure(duration: start, iso: Self.isos.lowerBound))
        inForce.lensPosition = 0.5
        inForce.whiteBalance = .gains(WhiteBalanceGains(red: 1, green: 1, blue: 1))
    }

    /// What will be in force when everything written has landed.
    var written: ControlValues { landings.reduce(inForce) { $1.values.over($0) } }

    /// Writes controls after the frame that arrived last; each comes into force its own delay after that frame.
    package mutating func write(_ wanted: ControlValues) -> ControlValues {
        var values = wanted
        let range = configuration.exposureDurations
        values.exposureDuration = wanted.exposureDuration.map { min(max($0, range.lowerBound), range.upperBound) }
        values.iso = wanted.iso.map { min(max($0, Self.isos.lowerBound), Self.isos.upperBound) }
        values.gain = nil
        let frames = configuration.frameDurations
        values.frameDuration = wanted.frameDuration.map { wanted in
            let lines = (wanted + configuration.line / 2) / configuration.line * configuration.line
            return min(max(lines, frames.lowerBound), frames.upperBound)
        }
        let last = nextFrame &- 1
        let lateness: UInt32 = configuration.faults[last] == .lateControls ? 1 : 0
        for control in values.controls {
            let frame = last &+ UInt32(configuration.delays[control]) &+ lateness
            let place = landings.firstIndex { $0.frame > frame } ?? landings.endIndex
            landings.insert(Landing(frame: frame, values: values.only(control)), at: place)
        }
        return written
    }

    /// Exposes a frame, and returns the values that it was exposed with.
    package mutating func expose(_ number: UInt32) -> ControlValues {
        while let first = landings.first, first.frame <= number {
            inForce = first.values.over(inForce)
            landings.removeFirst()
        }
        nextFrame = number &+ 1
        var values = inForce
        if configuration.faults[number] == .wrongExposure {
            values.exposureDuration = inForce.exposureDuration.map { ExposureDuration(nanoseconds: $0.nanoseconds * 2) }
        }
        return values
    }
}
