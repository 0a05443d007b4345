import CaptureModel
import PhotoCapture
import PhotoEncoding
import Posix
import SimulatedCamera
import Synchronization

/// Draws frames on a thread of its own while they are being exposed, so that the camera can answer its host meanwhile.
final class FrameRenderer: Sendable {
    struct Order: Sendable {
        let frame: VirtualSensor.Frame
        let mode: VideoMode
        let exposureStart: Int64
        /// How much light there is, as a multiple of daylight.
        let light: Double
    }

    struct Picture: Sendable {
        let frame: VirtualSensor.Frame
        let bytes: [UInt8]
        let grid: LuminanceGrid
    }

    private struct State {
        var order: Order?
        var picture: Picture?
        var isStopped = false
    }

    /// Signalled when a picture is finished.
    let finished = WakeUp()
    private let state = Mutex(State())
    private let ordered = WakeUp()
    private let seed: UInt64
    /// The luma on the camera's tone curve for each luma of a finished picture.
    private let tones: [UInt8]
    /// The byte for each luma in uncompressed frames.
    private let codes: [UInt8]

    init(seed: UInt64, _ character: CameraCharacter) {
        self.seed = seed
        tones = (0..<256).map { UInt8((255 * character.tone.luma(Double($0) / 255)).rounded()) }
        let (low, high) = (character.range.codes.lowerBound, character.range.codes.upperBound)
        codes = (0..<256).map { UInt8((low + Float($0) * (high - low) / 255).rounded()) }
    }

    /// Draws until it is stopped.
    func run(size: Dimensions) {
        let sensor = SimulatedSensor(seed: seed, dimensions: size)
        var album = Album()
        while !state.withLock({ $0.isStopped }) {
            guard let order = state.withLock({ $0.order.take() }) else {
                ordered.wait()
                continue
            }
            let picture = draw(order, sensor, size, &album)
            state.withLock { $0.picture = picture }
            finished.signal()
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        ordered.signal()
    }

    func order(_ order: Order) {
        state.withLock { $0.order = order }
        ordered.signal()
    }

    /// Takes the picture that was drawn last; nil if it is not finished, or was taken already.
    func take() -> Picture? {
        finished.clear()
        return state.withLock { $0.picture.take() }
    }

    /// What the sensor has drawn lately. An emulated processor takes long for its noise: while nothing changes, a few
    /// pictures alternate.
    private struct Album {
        typealias Drawn = (values: ControlValues, grain: UInt32, image: YUVImage, grid: LuminanceGrid)
        private static let grains: UInt32 = 4
        private static let capacity = 24
        private var drawn: [Drawn] = []

        mutating func picture(_ values: ControlValues, _ frame: UInt32, _ sensor: SimulatedSensor) -> Drawn {
            let grain = frame % Self.grains
            if let place = drawn.firstIndex(where: { $0.grain == grain && $0.values == values }) {
                return drawn[place]
            }
            let new = (
                values, grain, sensor.picture(values, frame: frame), sensor.luminanceGrid(values, frame: frame)
            )
            if drawn.count == Self.capacity { drawn.removeFirst() }
            drawn.append(new)
            return new
        }
    }

    private func draw(
        _ order: Order, _ sensor: SimulatedSensor, _ size: Dimensions, _ album: inout Album
    ) -> Picture {
        var values = order.frame.values
        values.exposureDuration = values.exposureDuration.map {
            ExposureDuration(nanoseconds: Int64(order.light * Double($0.nanoseconds)))
        }
        let drawn = album.picture(values, order.frame.number, sensor)
        let image = drawn.image
        var planes = image.planes
        planes[0] = planes[0].map { tones[Int($0)] }
        FrameCode(
            exposure: UInt32(clamping: order.frame.exposure.nanoseconds / 1000), gain: order.frame.gain,
            frame: order.frame.number, exposureStart: order.exposureStart
        ).write(to: &planes[0], width: size.width)
        let coded = YUVImage(dimensions: size, subsampling: image.subsampling, planes: planes)
        let bytes: [UInt8] =
            switch order.mode.format {
            case .yuyv: packed(coded)
            // At this quality the picture certainly fits the size that the descriptors announce.
            case .mjpeg: (try? JPEGEncoder.encode(coded, quality: 90)) ?? []
            }
        return Picture(frame: order.frame, bytes: bytes, grid: drawn.grid)
    }

    /// Y U Y V.
    private func packed(_ image: YUVImage) -> [UInt8] {
        let (width, height) = (image.dimensions.width, image.dimensions.height)
        let (planes, luma, colour) = (image.planes, codes, Self.colour)
        let (brightness, blue, red) = (planes[0], planes[1], planes[2])
        var bytes = [UInt8](repeating: 0, count: width * height * 2)
        for row in 0..<height {
            for column in stride(from: 0, to: width - 1, by: 2) {
                let place = (row * width + column) * 2
                let thin = row / 2 * ((width + 1) / 2) + column / 2
                bytes[place] = luma[Int(brightness[row * width + column])]
                bytes[place + 1] = colour[Int(blue[thin])]
                bytes[place + 2] = luma[Int(brightness[row * width + column + 1])]
                bytes[place + 3] = colour[Int(red[thin])]
            }
        }
        return bytes
    }

    private static let colour: [UInt8] = (0..<256).map { UInt8((128 + (Float($0) - 128) * 224 / 255).rounded()) }
}
