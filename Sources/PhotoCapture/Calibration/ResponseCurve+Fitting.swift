import Glibc

/// A picture of a scene, and what it was exposed with.
package struct ExposedGrid: Hashable, Sendable {
    let grid: LuminanceGrid
    /// Above that of the others, in EV.
    let ev: Double
}

extension ResponseCurve {
    /// The curve of a camera, from pictures of one scene at known exposures; nil where they show too little.
    ///
    /// M. Robertson, S. Borman, R. Stevenson, "Dynamic range improvement through multiple exposures" (ICIP 1999):
    /// the light of each place and the meaning of each code value are found in turn, each from the other.
    ///
    static func fitted(to shots: [ExposedGrid]) -> ResponseCurve? {
        let evs = Set(shots.map { ($0.ev * 8).rounded() })
        guard evs.count >= 4 else { return nil }
        let readings = shots.map { shot in
            (codes: shot.grid.samples.map { Int(($0 * Float(steps - 1)).rounded()) }, ev: Float(shot.ev))
        }
        var light = (0..<steps).map { assumed.logLight(Float($0) / Float(steps - 1)) }
        var counts: [Int] = []
        for _ in 0..<30 {
            let scene = sceneLight(readings, light)
            (light, counts) = meaning(readings, scene, light)
            light = smoothed(light, counts)
        }
        return usableRange(light, counts).map { ResponseCurve(source: .calibrated, light: light, usable: $0) }
    }

    /// Codes between the noise of the dark and the clipping of the bright: near it only those readings are left that
    /// chance kept below.
    private static let trusted = 8...230

    private typealias Reading = (codes: [Int], ev: Float)

    /// Readings in the middle of the range are the best; the ends are noise and clipping.
    private static func weight(_ code: Int) -> Float {
        code < 4 || code > 250 ? 0 : Float(min(code, 255 - code))
    }

    private static func sceneLight(_ readings: [Reading], _ light: [Float]) -> [Float?] {
        (0..<(readings.first?.codes.count ?? 0)).map { place in
            var (sum, total) = (Float(0), Float(0))
            for reading in readings {
                let code = reading.codes[place]
                sum += weight(code) * (light[code] - reading.ev)
                total += weight(code)
            }
            return total > 0 ? sum / total : nil
        }
    }

    private static func meaning(
        _ readings: [Reading], _ scene: [Float?], _ light: [Float]
    ) -> (light: [Float], counts: [Int]) {
        var sums = [Float](repeating: 0, count: steps)
        var counts = [Int](repeating: 0, count: steps)
        for reading in readings {
            for (code, place) in zip(reading.codes, scene) where weight(code) > 0 {
                guard let place else { continue }
                sums[code] += place + reading.ev
                counts[code] += 1
            }
        }
        return (zip(zip(sums, counts), light).map { $0.1 > 0 ? $0.0 / Float($0.1) : $1 }, counts)
    }

    /// Evens out chance, fills what was not seen, and lets nothing fall.
    private static func smoothed(_ light: [Float], _ counts: [Int]) -> [Float] {
        let seen = counts.indices.filter { counts[$0] > 0 }
        guard let first = seen.first, let last = seen.last, first < last else { return light }
        var filled = light
        for index in first...last where counts[index] == 0 {
            let below = seen.last { $0 < index } ?? first
            let above = seen.first { $0 > index } ?? last
            let share = Float(index - below) / Float(above - below)
            filled[index] = light[below] * (1 - share) + light[above] * share
        }
        var even = filled
        for index in first...last {
            let reach = min(3, index - first, last - index)
            let window = filled[index - reach...index + reach]
            even[index] = window.reduce(0, +) / Float(window.count)
        }
        // Beyond what can be trusted, noise and clipping shape what is seen: from there on as pictures are meant.
        let (low, high) = (max(first, trusted.lowerBound), min(last, trusted.upperBound))
        guard low < high else { return light }
        func meant(_ index: Int) -> Float { assumed.logLight(Float(index) / Float(steps - 1)) }
        for index in 0..<low { even[index] = even[low] + meant(index) - meant(low) }
        for index in (high + 1)..<steps { even[index] = even[high] + meant(index) - meant(high) }
        for index in 1..<steps { even[index] = max(even[index], even[index - 1]) }
        return even
    }

    /// From where a step of the code is worth less than a fifth of an EV, to where clipping begins.
    private static func usableRange(_ light: [Float], _ counts: [Int]) -> ClosedRange<Float>? {
        let seen = counts.indices.filter { counts[$0] > 0 && trusted.contains($0) }
        let fine = seen.filter { $0 + 1 < steps && (light[$0 + 1] - light[$0 - 1]) / 2 < 0.2 }
        guard let low = fine.first, let high = fine.last, high - low >= 48 else { return nil }
        return Float(low) / Float(steps - 1)...Float(high) / Float(steps - 1)
    }
}
