import CaptureModel

/// A small finished picture of a sensor's samples, for viewers that do not develop them; pure.
///
/// Each pixel is the mean of the reds, greens and blues below it, the neutral made grey, with sRGB's tone curve. The
/// sensor's own colours are taken for sRGB's: near enough to choose by.
struct BayerPreview {
    private let image: BayerImage
    private let size: Dimensions
    /// What a mean of 1 above black is worth in red, green and blue.
    private let scales: [Double]
    /// The codes of linear brightness 0...1, in as many steps.
    private static let codes = (0..<4096).map { UInt8((SRGB.encoded(Double($0) / 4095) * 255).rounded()) }

    /// - Parameters:
    ///   - box: what it is to fit into; it has half the samples' dimensions at most.
    ///   - neutral: what a neutral surface gives in red, green and blue.
    static func make(of image: BayerImage, into box: Dimensions, neutral: [Double]) -> YUVImage {
        BayerPreview(image, box, neutral).picture()
    }

    private init(_ image: BayerImage, _ box: Dimensions, _ neutral: [Double]) {
        self.image = image
        let half = Dimensions(width: max(1, image.dimensions.width / 2), height: max(1, image.dimensions.height / 2))
        size = SmallPicture.fitted(half, into: box)
        let range = Double(max(1, Int(image.whiteLevel) - Int(image.blackLevel)))
        scales = neutral.map { 1 / (range * max($0, 0.01)) }
    }

    private func picture() -> YUVImage {
        let (width, height) = (image.dimensions.width, image.dimensions.height)
        let colours = image.pattern.colours
        let places = (0..<width).map { min($0 * size.width / width, size.width - 1) }
        var row = [UInt16](repeating: 0, count: width)
        var rgb: [[UInt8]] = []
        for target in 0..<size.height {
            var sums = [Int](repeating: 0, count: 3 * size.width)
            var counts = sums
            for line in target * height / size.height..<(target + 1) * height / size.height {
                row.withUnsafeMutableBufferPointer { image.readRow(line, $0) }
                for column in 0..<width {
                    let place = 3 * places[column] + colours[line % 2 * 2 + column % 2]
                    sums[place] += Int(row[column])
                    counts[place] += 1
                }
            }
            rgb.append(zip(sums, counts).enumerated().map { code($1.0, $1.1, colour: $0 % 3) })
        }
        return yuv(rgb)
    }

    private func code(_ sum: Int, _ count: Int, colour: Int) -> UInt8 {
        guard count > 0 else { return 0 }
        let light = (Double(sum) / Double(count) - Double(image.blackLevel)) * scales[colour]
        return Self.codes[Int((min(max(light, 0), 1) * 4095).rounded())]
    }

    /// In full range, as JFIF has it (ITU-R BT.601), colour subsampled in both directions.
    private func yuv(_ rgb: [[UInt8]]) -> YUVImage {
        func value(_ row: Int, _ column: Int, _ weights: (Double, Double, Double), above zero: Double) -> Double {
            let (line, place) = (rgb[min(row, size.height - 1)], 3 * min(column, size.width - 1))
            return zero + weights.0 * Double(line[place]) + weights.1 * Double(line[place + 1])
                + weights.2 * Double(line[place + 2])
        }
        let luma = (0..<size.width * size.height).map { index in
            UInt8(value(index / size.width, index % size.width, (0.299, 0.587, 0.114), above: 0.5))
        }
        let colour = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        func plane(_ weights: (Double, Double, Double)) -> [UInt8] {
            (0..<colour.width * colour.height).map { index in
                let (row, column) = (2 * (index / colour.width), 2 * (index % colour.width))
                let four = [(0, 0), (0, 1), (1, 0), (1, 1)].map { down, right in
                    value(row + down, column + right, weights, above: 128.5)
                }
                return UInt8(min(max(four.reduce(0, +) / 4, 0), 255))
            }
        }
        return YUVImage(
            dimensions: size, subsampling: .yuv420,
            planes: [luma, plane((-0.168_736, -0.331_264, 0.5)), plane((0.5, -0.418_688, -0.081_312))])
    }
}
