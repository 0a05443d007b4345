package import CaptureModel

/// What a simulated camera is like.
package struct SimulatedCameraConfiguration: Sendable {
    /// What goes wrong at a frame.
    package enum Fault: Sendable, Hashable {
        /// The frame never arrives; its number is missing.
        case drop
        /// The frame arrives flagged as broken.
        case error
        /// The frame is exposed with twice the time that it was told.
        case wrongExposure
        /// What is written right after the frame lands a frame late, as what is held up on its way.
        case lateControls
        /// The camera is unplugged.
        case disconnect
        /// No frame comes any more, and nothing says so until the camera's own time limit.
        case stall
    }

    /// Chooses the place of the camera, its phase and its drift.
    package var seed: UInt64
    package var dimensions = Dimensions(width: 640, height: 480)
    /// In nanoseconds.
    package var frameDuration: Int64 = 33_333_333
    /// Frames from the write of a control to its effect.
    package var delays = ControlDelays(exposureDuration: 2, gain: 2)
    /// Whether its user is told the delays, and by each frame its exposure; else both must be learned.
    package var tellsExposure = true
    /// Whether it looks at a lamp that goes on and off, the same one for all; then its timestamps are off as well, each
    /// camera's by another time.
    package var seesFlash = false
    /// Whether each frame can be told how long to last.
    package var canSetFrameDuration = true
    /// The most that can be set, in frames; a longer exposure than a frame makes the frame longer.
    package var longestExposure = 1.0
    /// From which frame on there is so much more light, in EV; later ones count from the first light as well.
    package var lights: [UInt32: Double] = [:]
    /// Faults by the number of frames since the stream began.
    package var faults: [UInt32: Fault] = [:]

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// The largest picture; a smaller one may be what is streamed.
    package var fullSize: Dimensions {
        get { chosenFullSize ?? dimensions }
        set { chosenFullSize = newValue }
    }
    private var chosenFullSize: Dimensions?

    /// When the frames begin, relative to the start of the stream: each camera has its own phase.
    var phase: Int64 {
        Int64(Double(frameDuration) * (Double(seed) * 0.569_840_29).truncatingRemainder(dividingBy: 1))
    }

    /// What its timestamps are off by, in nanoseconds.
    var timestampError: Int64 { seesFlash ? (Int64(seed &* 7 % 9) - 4) * 900_000 : 0 }

    /// The share of an exposure during which the lamp is on.
    func litShare(from start: Int64, _ exposure: Int64) -> Double {
        guard seesFlash else { return 0 }
        let lit = (0..<64).count { place in
            // Changes its mind each 170 ms, in no rhythm.
            let turn = UInt64(bitPattern: (start + exposure * Int64(place) / 64) / 170_000_000)
            return (turn &* 0x9E37_79B9_7F4A_7C15) >> 63 == 1
        }
        return Double(lit) / 64
    }

    /// How much more light there is at a frame than at first, in EV.
    func light(at frame: UInt32) -> Double { lights.filter { $0.key <= frame }.max { $0.key < $1.key }?.value ?? 0 }

    /// A line of the sensor, in nanoseconds: 10 to 30 µs.
    var line: Int64 { 10_000 + Int64(seed &* 2_657 % 20) * 1_000 }

    /// How long a frame can be made to last, in nanoseconds.
    var frameDurations: ClosedRange<Int64> { frameDuration...10 * frameDuration }

    /// How fast the camera's crystal is, in parts per million: within ±50.
    var driftPartsPerMillion: Int64 {
        Int64(seed &* 37 % 101) - 50
    }

    /// How long a frame lasts on the true clock when it is told to last this long, in nanoseconds.
    func trueDuration(_ told: Int64) -> Int64 { told + told * driftPartsPerMillion / 1_000_000 }

    /// The times that can be set, at base ISO and above.
    var exposureDurations: ClosedRange<ExposureDuration> {
        ExposureDuration(
            nanoseconds: 50_000)...ExposureDuration(nanoseconds: Int64(Double(frameDuration) * longestExposure))
    }
}
