package import CaptureModel

/// What a simulated camera is like.
package struct SimulatedCameraConfiguration: Sendable {
    /// What goes wrong at a frame.
    package enum Fault: Sendable, Hashable {
        /// The frame never arrives; its number is missing.
        case drop
        /// The frame arrives flagged as broken.
        case error
        /// The frame is exposed for twice the time that was set.
        case wrongExposure
        /// What is written right after the frame lands a frame late, as if held up on its way.
        case lateControls
        /// The camera is unplugged.
        case disconnect
        /// The stream stalls: no frame comes any more, and the camera reports it.
        case stall
    }

    /// Chooses the camera's phase and drift, and its place unless that is given.
    package var seed: UInt64
    /// Where it stands on a ring around the table, in degrees.
    package var degrees: Double?
    /// How much its lens distorts: the first radial coefficient.
    package var k1 = 0.0
    /// The size of its pictures.
    package var dimensions = Dimensions(width: 640, height: 480)
    /// How long a frame lasts unless told otherwise, in nanoseconds.
    package var frameDuration: Int64 = 33_333_333
    /// Frames from the write of a control to its effect.
    package var delays = ControlDelays(exposureDuration: 2, gain: 2)
    /// Whether it reports its delays, and the exposure of each frame; if not, the delays must be learned and the
    /// exposures compared.
    package var tellsExposure = true
    /// Whether a lamp lights its scene, with more contrast than one exposure holds.
    package var isSpotlit = false
    /// Whether it looks at a lamp that goes on and off, the same one for all cameras; its timestamps are then off as
    /// well, by a different amount for each camera.
    package var seesFlash = false
    /// Whether the duration of each frame can be set.
    package var canSetFrameDuration = true
    /// The longest exposure that can be set, in frames; one longer than a frame makes the frame longer.
    package var longestExposure = 1.0
    /// How much more light there is from a frame on, in EV, always relative to the light at the start.
    package var lights: [UInt32: Double] = [:]
    /// Counts for more than what is known of its own lens.
    package var lens = Lens()
    /// How it is mounted.
    package var orientation = PictureOrientation.up
    /// Faults by the number of frames since the stream began.
    package var faults: [UInt32: Fault] = [:]

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// The size of the largest picture; a smaller one may be streamed.
    package var fullSize: Dimensions {
        get { chosenFullSize ?? dimensions }
        set { chosenFullSize = newValue }
    }
    private var chosenFullSize: Dimensions?

    /// How wide a frame's view is at distance 1.
    private static let view = 1.1

    /// Where it stands and what it sees, exactly: the truth that a reconstruction of its photos is held against.
    package var geometry: CameraGeometry {
        var intrinsics = CameraIntrinsics(
            dimensions: dimensions, focalLength: Double(dimensions.width) / Self.view)
        intrinsics.k1 = k1
        return CameraGeometry(
            camera: serialNumber, intrinsics: intrinsics,
            pose: degrees.map { Scene.pose(degrees: $0) } ?? Scene.pose(seed: seed))
    }

    /// How bright each pixel's part of the scene is: linear red, green and blue without a unit, row by row.
    package var radiance: [SIMD3<Float>] { Scene(isSpotlit: isSpotlit).render(geometry) }

    var serialNumber: String { "SIM-\(seed)" }

    /// That of a pinhole in front of a sensor 6.4 mm wide, which lets in as much light as an f/2.8.
    var ownLens: Lens {
        let focalLength = 6.4 / Self.view
        let height = 6.4 * Double(dimensions.height) / Double(dimensions.width)
        // CIPA DCG-001: the diagonals count.
        let crop = (36.0 * 36 + 24 * 24).squareRoot() / (6.4 * 6.4 + height * height).squareRoot()
        return Lens(
            fNumber: 2.8, focalLength: focalLength, focalLengthIn35mmFilm: focalLength * crop,
            model: "Simulated Pinhole")
    }

    /// When the first frame begins after the start of the stream, in nanoseconds: each camera has its own phase.
    var phase: Int64 {
        Int64(Double(frameDuration) * (Double(seed) * 0.569_840_29).truncatingRemainder(dividingBy: 1))
    }

    /// How far its timestamps are off, in nanoseconds.
    var timestampError: Int64 { seesFlash ? (Int64(seed &* 7 % 9) - 4) * 900_000 : 0 }

    /// The share of an exposure during which the lamp is on.
    func litShare(from start: Int64, _ exposure: Int64) -> Double {
        guard seesFlash else { return 0 }
        let lit = (0..<64).count { place in
            // Draws on or off every 170 ms, in no rhythm.
            let turn = UInt64(bitPattern: (start + exposure * Int64(place) / 64) / 170_000_000)
            return (turn &* 0x9E37_79B9_7F4A_7C15) >> 63 == 1
        }
        return Double(lit) / 64
    }

    /// How much more light there is at a frame than at the start, in EV.
    func light(at frame: UInt32) -> Double { lights.filter { $0.key <= frame }.max { $0.key < $1.key }?.value ?? 0 }

    /// The duration of a sensor line, in nanoseconds: 10 to 30 µs.
    var line: Int64 { 10_000 + Int64(seed &* 2_657 % 20) * 1_000 }

    /// How long a frame can be made to last, in nanoseconds.
    var frameDurations: ClosedRange<Int64> { frameDuration...10 * frameDuration }

    /// How much longer its frames truly last than its crystal says, in parts per million: within ±50.
    var driftPartsPerMillion: Int64 {
        Int64(seed &* 37 % 101) - 50
    }

    /// How long a frame lasts by the true clock if it is told to last this long, in nanoseconds.
    func trueDuration(_ told: Int64) -> Int64 { told + told * driftPartsPerMillion / 1_000_000 }

    /// The exposure times that can be set.
    var exposureDurations: ClosedRange<ExposureDuration> {
        ExposureDuration(
            nanoseconds: 50_000)...ExposureDuration(nanoseconds: Int64(Double(frameDuration) * longestExposure))
    }
}
