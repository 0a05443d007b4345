import CTurboJPEG
import CaptureModel
import PhotoEncoding
import Posix

/// JPEG from the planes that a camera delivers, against libjpeg-turbo's own path from RGB; one core, one picture.
enum JPEGBenchmark {
    private static let size = Dimensions(width: 4056, height: 3040)
    private static let quality: Int32 = 85
    private static let rounds = 9

    static func run() -> [Result] {
        let rgb = picture()
        guard let planes = planes(of: rgb), let handle = tjInitCompress() else { return [] }
        defer { tjDestroy(handle) }
        let image = YUVImage(dimensions: size, subsampling: .yuv420, planes: planes)
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let first = time { _ = try? JPEGEncoder.encode(image, quality: Int(quality)) }
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

    /// Slopes with a little noise, as a well exposed picture has: neither empty nor a worst case.
    private static func picture() -> [UInt8] {
        var random = SplitMix64(state: 7)
        return (0..<size.width * size.height * 3).map { index in
            let (column, row) = (index / 3 % size.width, index / 3 / size.width)
            let base = (column / 16 + row / 12 + index % 3 * 40) & 0xFF
            return UInt8(clamping: base + Int(random.next() & 3) - 2)
        }
    }

    private static func planes(of rgb: [UInt8]) -> [[UInt8]]? {
        guard let handle = tjInitCompress() else { return nil }
        defer { tjDestroy(handle) }
        let thin = size.width / 2 * (size.height / 2)
        var bytes = [UInt8](repeating: 0, count: size.width * size.height + 2 * thin)
        let result = tjEncodeYUV3(
            handle, rgb, Int32(size.width), 0, Int32(size.height), Int32(TJPF_RGB.rawValue), &bytes, 1,
            Int32(TJSAMP_420.rawValue), 0)
        guard result == 0 else { return nil }
        let full = size.width * size.height
        return [Array(bytes[..<full]), Array(bytes[full..<full + thin]), Array(bytes[(full + thin)...])]
    }
}
