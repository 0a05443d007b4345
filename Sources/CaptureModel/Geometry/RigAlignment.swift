/// How one reconstruction of a rig is turned, scaled and moved into another, whatever a few of the cameras did between
/// them.
///
/// Each camera that both have says how the one is turned against the other. The turn is taken by which most cameras come
/// to lie where they were; then the others are left out, and the mean is taken over the rest.
package struct RigAlignment: Sendable {
    private var turn: SIMD4<Double>
    private var scale: Double
    private var offset = SIMD3<Double>.zero

    /// - Returns: nil where they have less than two cameras in common that stand apart.
    package init?(from source: [CameraGeometry], to target: [CameraGeometry]) {
        let targets = Dictionary(target.map { ($0.camera, $0.pose) }) { first, _ in first }
        let pairs = source.compactMap { camera in targets[camera.camera].map { Pair(camera.pose, $0) } }
        guard let scale = Self.scale(pairs) else { return nil }
        (turn, self.scale) = (pairs[0].turn, scale)
        var best = Double.infinity
        for pair in pairs {
            let offsets = pairs.map { $0.offset(pair.turn, scale) }
            let offset = SIMD3(offsets.map(\.x).median, offsets.map(\.y).median, offsets.map(\.z).median)
            let error = offsets.map { ($0 - offset).length }.median
            if error < best { (best, turn, self.offset) = (error, pair.turn, offset) }
        }
        for _ in 0..<5 { refine(pairs) }
    }

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

    /// The median of how much further apart two cameras are there.
    private static func scale(_ pairs: [Pair]) -> Double? {
        var ratios: [Double] = []
        for (index, one) in pairs.enumerated() {
            for other in pairs[..<index] {
                let ratio = (one.target - other.target).length / (one.source - other.source).length
                if ratio.isFinite, ratio > 0 { ratios.append(ratio) }
            }
        }
        return ratios.isEmpty ? nil : ratios.median
    }

    private mutating func refine(_ pairs: [Pair]) {
        let errors = pairs.map { ($0.offset(turn, scale) - offset).length }
        // Three standard deviations, of errors whose median is known.
        let most = max(3 * 1.4826 * errors.median, 1e-12)
        let kept = zip(pairs, errors).filter { $0.1 <= most }.map(\.0)
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
