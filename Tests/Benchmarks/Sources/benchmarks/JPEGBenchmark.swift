import CTurboJPEG
import CaptureModel
import PhotoCapture
import PhotoEncoding
import Posix
import SimulatedCamera

/// JPEG from the planes that a camera delivers, against libjpeg-turbo's own path from RGB; one core, one picture.
enum JPEGBenchmark {
    private static let size = Dimensions(width: 4056, height: 3040)
    private static let quality: Int32 = 85
    private static let rounds = 9

    static func run() -> [Result] {
        // What a camera delivers, with the noise of its sensor.
        let exposure = Exposure(duration: ExposureDuration(nanoseconds: 8_000_000), iso: 100)
        let image = SimulatedSensor(seed: 1, dimensions: size).picture(ControlValues(exposure), frame: 0)
        guard let rgb = rgb(of: image), let handle = tjInitCompress() else { preconditionFailure("no libjpeg-turbo") }
        defer { tjDestroy(handle) }
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let first = time {
                let bytes = try? JPEGEncoder.encode(image, quality: Int(quality))
                precondition(bytes?.isEmpty == false, "it encodes nothing")
            }
            let second = time { compress(rgb, handle) }
            ratios.append(Double(second) / Double(first))
        }
        return [
            Result(
                name: "jpeg: planar 4:2:0 over libjpeg-turbo's RGB path, median of \(rounds)",
                value: ratios.sorted()[rounds / 2], unit: "x", threshold: 1.25 ... .infinity)
        ]
    }

    private static func time(_ body: () -> Void) -> Int64 {
        let start = Clocks.monotonicNanoseconds()
        body()
        return Clocks.monotonicNanoseconds() - start
    }

    private static func compress(_ rgb: [UInt8], _ handle: tjhandle) {
        var output: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        let result = tjCompress2(
            handle, rgb, Int32(size.width), 0, Int32(size.height), Int32(TJPF_RGB.rawValue), &output, &length,
            Int32(TJSAMP_420.rawValue), quality, 0)
        precondition(result == 0, "tjCompress2")
        tjFree(output)
    }

    /// The same picture, as libjpeg-turbo's other path has it.
    private static func rgb(of image: YUVImage) -> [UInt8]? {
        guard image.subsampling == .yuv420, let handle = tjInitDecompress() else { return nil }
        defer { tjDestroy(handle) }
        var rgb = [UInt8](repeating: 0, count: size.width * size.height * 3)
        let planar = image.planes.flatMap { $0 }
        let result = tjDecodeYUV(
            handle, planar, 1, Int32(TJSAMP_420.rawValue), &rgb, Int32(size.width), 0, Int32(size.height),
            Int32(TJPF_RGB.rawValue), 0)
        return result == 0 ? rgb : nil
    }
}
