/// The brightness of a frame at fixed places: small enough to keep, detailed enough to judge its exposure by.
package struct LuminanceGrid: Hashable, Sendable {
    /// How many places in a row, and rows of them.
    package static let (columns, rows) = (32, 24)

    /// All places, ordered so that those of each square of three by three follow each other.
    static let neighbourhoods = (0..<columns * rows).sorted { one, other in square(one) < square(other) }

    private static func square(_ place: Int) -> Int { place / columns / 3 * columns + place % columns / 3 }

    /// Code values, 0 for the darkest and 1 for the brightest that the format can express, row by row.
    package let samples: [Float]

    /// - Parameter samples: one for each place. Drivers that declare 16...235 also deliver 0 and 255: what lies beyond
    ///   the range of the format counts as its end, and so as black or clipped.
    package init(samples: [Float]) {
        precondition(samples.count == Self.columns * Self.rows, "a grid is \(Self.columns) by \(Self.rows)")
        self.samples = samples.map { min(max($0, 0), 1) }
    }

    /// Reads a picture in the middle of each cell.
    ///
    /// - Parameter value: the code value around a pixel, 0...1.
    package init(width: Int, height: Int, value: (_ column: Int, _ row: Int) -> Float) {
        var samples: [Float] = []
        samples.reserveCapacity(Self.columns * Self.rows)
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                samples.append(
                    value((2 * column + 1) * width / (2 * Self.columns), (2 * row + 1) * height / (2 * Self.rows)))
            }
        }
        self.init(samples: samples)
    }
}

extension LuminanceGrid {
    /// Whether nine tenths of the places are as bright as in another picture.
    func isLike(_ other: LuminanceGrid) -> Bool {
        10 * zip(samples, other.samples).count { abs($0 - $1) > 0.1 } <= samples.count
    }
}

extension [Float] {
    /// The median; of an even number the upper of the two in the middle, so that it is always one of them.
    var middle: Float { sorted()[count / 2] }
}
