/// How one reconstruction of a rig is turned, scaled and moved into another, whatever a few of the cameras did between
/// them.
///
/// Each camera that both have says how the one is turned against the other, and the others' distances from it say how much
/// larger it is. That is taken by which most cameras come to lie where they were; then those that were moved or turned are
/// left out, and the mean is taken over the rest.
package struct RigAlignment: Sendable {
    private var turn: SIMD4<Double>
    private var scale: Double
    private var offset: SIMD3<Double>

    /// - Returns: nil where they have less than two cameras in common that stand apart.
    package init?(from source: [CameraGeometry], to target: [CameraGeometry]) {
        let targets = Dictionary(target.map { ($0.camera, $0.pose) }) { first, _ in first }
        let pairs = source.compactMap { camera in targets[camera.camera].map { Pair(camera.pose, $0) } }
        let candidates = pairs.compactMap { RigAlignment($0, pairs) }
        guard let best = candidates.min(by: { $0.error(pairs) < $1.error(pairs) }) else { return nil }
        self = best
        for _ in 0..<5 { refine(pairs) }
    }

    /// That by which one camera lies where it lay, and the others are as far from it as they were, by their median.
    private init?(_ anchor: Pair, _ pairs: [Pair]) {
        let ratios = pairs.map { ($0.target - anchor.target).length / ($0.source - anchor.source).length }
            .filter { $0.isFinite && $0 > 0 }
        guard !ratios.isEmpty else { return nil }
        (turn, scale) = (anchor.turn, ratios.median)
        offset = anchor.offset(turn, scale)
    }

    /// How far cameras are from where they lay, by their median.
    private func error(_ pairs: [Pair]) -> Double { pairs.map { ($0.offset(turn, scale) - offset).length }.median }

    /// A pose of the source, in the target.
    package func moved(_ pose: CameraPose) -> CameraPose { pose.moved(turn: turn, scale: scale, offset: offset) }

    /// A camera in both.
    private struct Pair {
        let source, target: SIMD3<Double>
        let turn: SIMD4<Double>

        init(_ source: CameraPose, _ target: CameraPose) {
            (self.source, self.target) = (source.centre, target.centre)
            turn = target.rotation.conjugate.times(source.rotation)
        }

        func offset(_ turn: SIMD4<Double>, _ scale: Double) -> SIMD3<Double> { target - turn.turning(source) * scale }
    }

    private mutating func refine(_ pairs: [Pair]) {
        let errors = pairs.map { ($0.offset(turn, scale) - offset).length }
        let angles = pairs.map { $0.turn.times(turn.conjugate).angle }
        // Three standard deviations, of errors whose median is known. One that was only rotated is no reference either.
        let (furthest, widest) = (max(3 * 1.4826 * errors.median, 1e-12), max(3 * 1.4826 * angles.median, 1e-9))
        let kept = pairs.indices.filter { errors[$0] <= furthest && angles[$0] <= widest }.map { pairs[$0] }
        guard kept.count > 1 else { return }
        let turns = kept.map { ($0.turn * turn).sum() < 0 ? -$0.turn : $0.turn }
        turn = turns.reduce(.zero, +).normalized
        let count = Double(kept.count)
        let sourceMiddle = turn.turning(kept.map(\.source).reduce(.zero, +) / count)
        let targetMiddle = kept.map(\.target).reduce(.zero, +) / count
        var (along, square) = (0.0, 0.0)
        for pair in kept {
            let source = turn.turning(pair.source) - sourceMiddle
            along += source.dot(pair.target - targetMiddle)
            square += source.dot(source)
        }
        if along > 0, square > 0 { scale = along / square }
        offset = targetMiddle - sourceMiddle * scale
    }
}

extension [Double] {
    /// The upper one of two in the middle.
    fileprivate var median: Double { sorted()[count / 2] }
}
