import CaptureModel
import Glibc
import PhotoEncoding

/// The mean colour of the middle of a picture; pure.
enum GrayCard {
    /// A picture of this size is enough.
    private static let sample = 64

    /// Linear red, green and blue over the middle half in each direction.
    static func meanColour(of picture: ProcessedImage) throws -> (red: Double, green: Double, blue: Double) {
        let small = try SmallPicture.make(of: picture, into: Dimensions(width: sample, height: sample))
        guard small.subsampling != .grey else { return (1, 1, 1) }
        let (luma, colour) = (small.planes[0], small.planeSize(1))
        let (blue, red) = (small.planes[1], small.planes[2])
        let (width, height) = (small.dimensions.width, small.dimensions.height)
        var sum = (red: 0.0, green: 0.0, blue: 0.0)
        for row in height / 4..<max(height / 4 + 1, height * 3 / 4) {
            for column in width / 4..<max(width / 4 + 1, width * 3 / 4) {
                let thin = row * colour.height / height * colour.width + column * colour.width / width
                let y = Double(luma[row * width + column])
                let (u, v) = (Double(blue[thin]) - 128, Double(red[thin]) - 128)
                // JFIF 1.02: full-range BT.601.
                sum.red += linear(y + 1.402 * v)
                sum.green += linear(y - 0.344_136 * u - 0.714_136 * v)
                sum.blue += linear(y + 1.772 * u)
            }
        }
        return sum
    }

    private static func linear(_ code: Double) -> Double { SRGB.linear(min(max(code / 255, 0), 1)) }
}
