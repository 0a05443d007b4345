import Glibc

/// A picture of a scene, and what it was exposed with.
package struct ExposedGrid: Hashable, Sendable {
    /// The brightness of the picture.
    package let grid: LuminanceGrid
    /// The exposure, in EV on a scale that is the same for all pictures.
    package let ev: Double

    package init(grid: LuminanceGrid, ev: Double) {
        (self.grid, self.ev) = (grid, ev)
    }
}

/// Finds what light a camera's code values stand for, from pictures of one scene at known exposures; pure.
///
/// P. Debevec, J. Malik, "Recovering high dynamic range radiance maps from photographs" (SIGGRAPH 1997): the curve is a
/// chain of straight pieces in log2 of light, found together with the light of each place by least squares. Readings
/// and whole pictures that do not fit the others lose their weight (iteratively reweighted, Tukey's biweight), so that
/// a frame that was late, lost or of something else bends nothing.
package struct ResponseFit: Sendable {
    /// Why there is no curve.
    package enum Failure: Error, Hashable, Sendable {
        /// The pictures show too few code values.
        case tooLittleContrast
        /// Too many of the pictures contradict each other.
        case contradiction
    }

    /// What the pictures yielded.
    package struct Finding: Hashable, Sendable {
        /// Measured over its usable codes, and extended beyond them by the assumed curve.
        package let curve: ResponseCurve
        /// From the darkest to the brightest exposure whose picture agrees with the others, in EV: beyond these, the
        /// camera may not have made what was asked for.
        package let evs: ClosedRange<Double>
    }

    /// The number of code values at which the curve may bend.
    private static let knots = 65
    private static let spacing = Float(255) / Float(knots - 1)
    private static let rounds = 8
    /// In EV per knot squared: enough to even out chance.
    private static let smoothness = 0.3

    /// A picture as the fit sees it.
    private struct Shot {
        /// 0...255, one for each group of places.
        let codes: [Float]
        let ev: Double
    }

    private let shots: [Shot]
    private let range: ClosedRange<Float>
    private var shotWeights: [Float]
    private var curve = [Float](repeating: 0, count: Self.knots)
    /// The light of each place; nil where nothing shows it.
    private var scene: [Float?] = []
    /// The equations that the curve solves.
    private var equations: Cholesky?

    /// Fits the curve of a camera.
    ///
    /// - Parameter shots: of one scene, some EV apart.
    package static func curve(of shots: [ExposedGrid]) throws(Failure) -> Finding {
        let shots = made(shots)
        guard Set(shots.map { ($0.ev * 8).rounded() }).count >= 4 else { throw .tooLittleContrast }
        var fit = ResponseFit(shots)
        for round in 0..<rounds { fit.solve(round) }
        let curve = try fit.usableCurve()
        guard let evs = agreeing(shots, curve) else { throw .contradiction }
        return Finding(curve: curve, evs: evs)
    }

    /// The pictures without those at either end that all look alike, though their exposures differ, and are neither
    /// black nor white: the camera did not make what was asked for. It needs no curve, as any curve rises.
    private static func made(_ shots: [ExposedGrid]) -> [ExposedGrid] {
        let sorted = shots.sorted { $0.ev < $1.ev }
        let withoutLongest = withoutPlateau(sorted.reversed())
        return withoutPlateau(withoutLongest.reversed())
    }

    /// - Parameter shots: in order of falling or rising exposure; those alike at the beginning are dropped, with the
    ///   few among them that show something else.
    private static func withoutPlateau(_ shots: [ExposedGrid]) -> [ExposedGrid] {
        let means = shots.map(\.grid.mean)
        guard means.count >= 3 else { return shots }
        let level = means[..<3].sorted()[1]
        guard (0.02...0.95).contains(level) else { return shots }
        let alike = means.indices.filter { abs(means[$0] - level) < 0.02 * level }
        // The last one up to which two thirds of the shots are alike.
        let end = alike.enumerated().last { 3 * ($0.offset + 1) >= 2 * ($0.element + 1) }?.element
        guard let end, abs(shots[end].ev - shots[0].ev) > 0.3 else { return shots }
        return Array(shots.dropFirst(end + 1))
    }

    private init(_ shots: [ExposedGrid]) {
        self.shots = Self.grouped(shots)
        shotWeights = shots.map { _ in 1 }
        // Where clipping piles up, at black or white, a code means any light beyond it.
        let codes = shots.flatMap { $0.grid.samples.map { $0 * 255 } }.sorted()
        let (low, high) = (codes[codes.count / 500], codes[codes.count - 1 - codes.count / 500])
        range = max(4, min(low + 3, 128))...min(250, max(high - 4, 129))
    }

    /// This many places that are alike across all pictures count as one: their median reading has less noise, which
    /// near black would bend the curve.
    private static let group = 9

    private static func grouped(_ shots: [ExposedGrid]) -> [Shot] {
        let brightness = shots[0].grid.samples.indices.map { place in
            shots.reduce(Float(0)) { $0 + $1.grid.samples[place] * $1.grid.samples[place] }
        }
        let order = brightness.indices.sorted { brightness[$0] < brightness[$1] }
        return shots.map { shot in
            let codes = stride(from: 0, to: order.count, by: group).map { start in
                order[start..<min(start + group, order.count)].map { shot.grid.samples[$0] }.middle * 255
            }
            return Shot(codes: codes, ev: shot.ev)
        }
    }

    // MARK: Least squares

    /// How far a reading may be from the others and still count, in EV.
    private static let readingScale: Float = 0.6

    /// Readings in the middle of the range are best; towards the ends, noise decides which of them are in it.
    private func weight(_ code: Float) -> Float {
        guard range.contains(code) else { return 0 }
        return min(code - range.lowerBound, range.upperBound - code, 32) / 32
    }

    private static func biweight(_ residual: Float, _ scale: Float) -> Float {
        let share = residual / scale
        return abs(share) < 1 ? (1 - share * share) * (1 - share * share) : 0
    }

    private mutating func solve(_ round: Int) {
        let size = Self.knots
        var matrix = [Double](repeating: 0, count: size * size)
        var right = [Double](repeating: 0, count: size)
        var row = [Double](repeating: 0, count: size)
        for place in 0..<shots[0].codes.count {
            accumulate(place, isFirst: round == 0, &matrix, &right, &row)
        }
        // The zero of the light is arbitrary: it is put in the middle of the range.
        matrix[(size / 2) * size + size / 2] += 1e4
        for knot in 1..<size - 1 {
            let terms: [(Int, Double)] = [(knot - 1, 1), (knot, -2), (knot + 1, 1)]
            for (one, a) in terms { for (two, b) in terms { matrix[one * size + two] += Self.smoothness * a * b } }
        }
        let equations = Cholesky(matrix, size: size)
        self.equations = equations
        curve = equations.solve(right).map { Float($0) }
        scene = (0..<shots[0].codes.count).map(light)
        weighShots()
    }

    /// Adds what one place says about the curve, with its own unknown light eliminated.
    private func accumulate(
        _ place: Int, isFirst: Bool, _ matrix: inout [Double], _ right: inout [Double], _ row: inout [Double]
    ) {
        let size = Self.knots
        var (total, evSum) = (0.0, 0.0)
        var touched: [Int] = []
        func touch(_ knot: Int, _ value: Double) {
            if row[knot] == 0 { touched.append(knot) }
            row[knot] += value
        }
        for (index, shot) in shots.enumerated() {
            let code = shot.codes[place]
            let weight = Double(weight(code) * shotWeights[index] * (isFirst ? 1 : trust(code, shot.ev, place)))
            guard weight > 0 else { continue }
            let (knot, share, ev) = (Self.knot(code), Double(Self.share(code)), shot.ev)
            matrix[knot * size + knot] += weight * (1 - share) * (1 - share)
            matrix[knot * size + knot + 1] += weight * share * (1 - share)
            matrix[(knot + 1) * size + knot] += weight * share * (1 - share)
            matrix[(knot + 1) * size + knot + 1] += weight * share * share
            right[knot] += weight * (1 - share) * ev
            right[knot + 1] += weight * share * ev
            touch(knot, weight * (1 - share))
            touch(knot + 1, weight * share)
            (total, evSum) = (total + weight, evSum + weight * ev)
        }
        for one in touched where total > 0 {
            right[one] -= row[one] * evSum / total
            for two in touched { matrix[one * size + two] -= row[one] * row[two] / total }
        }
        for knot in touched { row[knot] = 0 }
    }

    private static func knot(_ code: Float) -> Int { min(Int(code / spacing), knots - 2) }
    private static func share(_ code: Float) -> Float { code / spacing - Float(knot(code)) }

    private func value(_ code: Float) -> Float {
        let share = Self.share(code)
        return curve[Self.knot(code)] * (1 - share) + curve[Self.knot(code) + 1] * share
    }

    private func trust(_ code: Float, _ ev: Double, _ place: Int) -> Float {
        guard let light = scene[place] else { return 1 }
        return Self.biweight(value(code) - Float(ev) - light, Self.readingScale)
    }

    /// The light of a place: the weighted median of its readings.
    private func light(_ place: Int) -> Float? {
        let readings = shots.indices.compactMap { index -> (light: Float, weight: Float)? in
            let code = shots[index].codes[place]
            let weight = weight(code) * shotWeights[index]
            return weight > 0 ? (value(code) - Float(shots[index].ev), weight) : nil
        }
        return Self.median(readings)
    }

    private static func median(_ unsorted: [(light: Float, weight: Float)]) -> Float? {
        let values = unsorted.sorted { $0.light < $1.light }
        let half = values.reduce(0) { $0 + $1.weight } / 2
        var sum: Float = 0
        for value in values {
            sum += value.weight
            if sum >= half { return value.light }
        }
        return nil
    }

    /// A picture that is off as a whole was exposed with something else, or shows something else.
    private mutating func weighShots() {
        let offsets = shots.map { shot -> Float? in
            let readings = scene.indices.compactMap { place -> (light: Float, weight: Float)? in
                let code = shot.codes[place]
                guard let light = scene[place], weight(code) > 0 else { return nil }
                return (value(code) - Float(shot.ev) - light, weight(code))
            }
            return Self.median(readings)
        }
        let sizes = offsets.compactMap { $0.map(abs) }.sorted()
        let scale = max(0.15, 4 * (sizes.isEmpty ? 0 : sizes[sizes.count / 2]))
        shotWeights = offsets.map { $0.map { Self.biweight($0, scale) } ?? 0 }
    }

    // MARK: The usable range

    /// The most that a step of the code may be worth, in EV: beyond this there is only noise.
    private static let coarsest: Float = 0.16
    /// Code values that must be usable in a row.
    private static let fewest: Float = 40
    /// The most by which a code may be off relative to the others, in EV, as a standard deviation.
    private static let uncertainty = 0.05
    /// The least by which a reading is taken to be off, in EV: below this, smoothing errs by more than chance does.
    private static let leastNoise = 0.03

    private func usableCurve() throws(Failure) -> ResponseCurve {
        let slopes = (1..<Self.knots - 1).map { (curve[$0 + 1] - curve[$0 - 1]) / (2 * Self.spacing) }
        let isUsable = [false] + slopes.map { $0 > 0 && $0 < Self.coarsest } + [false]
        guard let run = Self.longestRun(isUsable).flatMap(known) else { throw .tooLittleContrast }
        // The first of them still leans on readings of black.
        let (low, high) = (Float(run.lowerBound + 1) * Self.spacing, Float(run.upperBound) * Self.spacing)
        guard high - low >= Self.fewest else { throw .tooLittleContrast }
        let usable = max(low, range.lowerBound) / 255...min(high, range.upperBound) / 255
        return ResponseCurve(source: .calibrated, light: extended(usable), usable: usable)
    }

    /// The knots whose distances from one of them, the best, are well known: readings that hardly any other joins to
    /// the rest may all be off by the same amount.
    private func known(_ run: ClosedRange<Int>) -> ClosedRange<Int>? {
        guard let covariance = equations?.inverse else { return nil }
        let most = Self.uncertainty * Self.uncertainty / (noise * noise)
        let ranges = run.compactMap { anchor in
            let isKnown = (0..<Self.knots).map { knot in
                run.contains(knot)
                    && covariance[anchor][anchor] + covariance[knot][knot] - 2 * covariance[anchor][knot] <= most
            }
            return Self.longestRun(isKnown)
        }
        return ranges.max { $0.count < $1.count }
    }

    /// The standard deviation of a reading, in EV: one reading of each place is used up by its light.
    private var noise: Double {
        var (square, freedom) = (0.0, 0.0)
        for (place, light) in scene.enumerated() {
            guard let light else { continue }
            var (sum, squares) = (0.0, 0.0)
            for (index, shot) in shots.enumerated() {
                let code = shot.codes[place]
                let weight = Double(weight(code) * shotWeights[index] * trust(code, shot.ev, place))
                let residual = Double(value(code) - Float(shot.ev) - light)
                (sum, squares) = (sum + weight, squares + weight * weight)
                square += weight * residual * residual
            }
            if sum > 0 { freedom += sum - squares / sum }
        }
        return max(Self.leastNoise, (square / max(freedom, 1)).squareRoot())
    }

    private static func longestRun(_ flags: [Bool]) -> ClosedRange<Int>? {
        var best: ClosedRange<Int>?
        var start: Int?
        for (index, flag) in (flags + [false]).enumerated() {
            if flag {
                start = start ?? index
            } else if let first = start {
                if best.map({ index - 1 - first > $0.upperBound - $0.lowerBound }) ?? true { best = first...index - 1 }
                start = nil
            }
        }
        return best
    }

    /// A value for each code; beyond the usable ones, from the curve that pictures are meant for.
    private func extended(_ usable: ClosedRange<Float>) -> [Float] {
        let assumed = ResponseCurve.assumed
        let (low, high) = (usable.lowerBound * 255, usable.upperBound * 255)
        var light = (0..<ResponseCurve.steps).map { step -> Float in
            let code = Float(step)
            let inside = min(max(code, low), high)
            return value(inside) + assumed.logLight(code / 255) - assumed.logLight(inside / 255)
        }
        for index in 1..<light.count { light[index] = max(light[index], light[index - 1]) }
        return light
    }

    // MARK: Whether it holds

    /// The share of the pictures that must agree with each other.
    private static let majority = 0.6
    /// The share of the others with which a picture must agree.
    private static let agreement = 0.75
    /// How far apart the pictures that agree must lie, in EV.
    private static let span = 2.0
    /// Pictures further apart are not compared, in EV.
    private static let reach = 2.1
    /// The most by which they may be off, in EV; the curve's own error grows with the distance.
    private static func tolerance(_ distance: Double) -> Double { 0.1 + 0.03 * distance }

    /// The range of those pictures that show, compared with their neighbours, by how much their exposures differ; nil
    /// where these are not most of them.
    private static func agreeing(_ shots: [ExposedGrid], _ curve: ResponseCurve) -> ClosedRange<Double>? {
        // Nil where two cannot be compared.
        let isRight = shots.map { one in shots.map { agrees(one, $0, curve) } }
        func share(_ one: Int, among others: [Int]) -> Double {
            let compared = others.filter { $0 != one }.compactMap { isRight[one][$0] }
            return compared.isEmpty ? 0 : Double(compared.count { $0 }) / Double(compared.count)
        }
        let readable = shots.indices.filter { one in shots.indices.contains { $0 != one && isRight[one][$0] != nil } }
        var left = readable
        while let worst = left.min(by: { share($0, among: left) < share($1, among: left) }),
            share(worst, among: left) < agreement
        {
            left.removeAll { $0 == worst }
        }
        let evs = left.map { shots[$0].ev }
        guard let least = evs.min(), let most = evs.max(), most - least >= span, left.count >= 5,
            Double(left.count) >= majority * Double(readable.count)
        else { return nil }
        return least...most
    }

    private static func agrees(_ one: ExposedGrid, _ other: ExposedGrid, _ curve: ResponseCurve) -> Bool? {
        let distance = other.ev - one.ev
        guard abs(distance) < reach else { return nil }
        switch LightChange(from: one.grid, to: other.grid, curve) {
        case .measured(let ev): return abs(ev - distance) <= tolerance(abs(distance))
        case .sceneMoved: return false
        case .clipped: return nil
        }
    }
}
