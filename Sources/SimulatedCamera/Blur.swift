/// Roughly what a lens does out of focus; pure.
enum Blur {
    /// Replaces each pixel by the mean of the square around it, `reach` pixels each way.
    static func box(_ plane: [UInt8], width: Int, height: Int, reach: Int) -> [UInt8] {
        guard reach > 0 else { return plane }
        var rows = plane
        for row in 0..<height { pass(plane, &rows, from: row * width, step: 1, count: width, reach) }
        var both = rows
        for column in 0..<width { pass(rows, &both, from: column, step: width, count: height, reach) }
        return both
    }

    private static func pass(
        _ source: [UInt8], _ target: inout [UInt8], from start: Int, step: Int, count: Int, _ reach: Int
    ) {
        func sample(_ index: Int) -> Int { Int(source[start + min(max(index, 0), count - 1) * step]) }
        var sum = (-reach...reach).reduce(0) { $0 + sample($1) }
        for index in 0..<count {
            target[start + index * step] = UInt8(sum / (2 * reach + 1))
            sum += sample(index + reach + 1) - sample(index - reach)
        }
    }
}
