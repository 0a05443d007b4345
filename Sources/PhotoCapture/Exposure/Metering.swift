/// The brightness of a frame as one number; pure.
package enum Metering {
    /// Half the side of the square around a point of interest, as a share of the picture.
    private static let reach: Float = 0.15
    /// The weight of the square against the rest.
    private static let emphasis: Float = 8

    /// The mean linear brightness, as a share of saturation.
    ///
    /// - Parameter point: (0, 0) is the upper left corner, (1, 1) the lower right one; nil meters evenly.
    package static func brightness(
        of grid: LuminanceGrid, _ curve: ResponseCurve, pointOfInterest point: Point? = nil
    ) -> Double {
        var (sum, total) = (Float(0), Float(0))
        let zero = curve.logLight(1)
        for (index, code) in grid.samples.enumerated() {
            let weight = point.map { isNear($0, index) ? emphasis : 1 } ?? 1
            sum += weight * curve.light(code, above: zero)
            total += weight
        }
        return Double(sum / total)
    }

    private static func isNear(_ point: Point, _ index: Int) -> Bool {
        let x = (Float(index % LuminanceGrid.columns) + 0.5) / Float(LuminanceGrid.columns)
        let y = (Float(index / LuminanceGrid.columns) + 0.5) / Float(LuminanceGrid.rows)
        return abs(x - Float(point.x)) <= reach && abs(y - Float(point.y)) <= reach
    }
}
