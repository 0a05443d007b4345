import Glibc

/// Takes a point of the world, or of the rig, to a camera's own axes: turned, then moved.
package struct CameraPose: Codable, Sendable, Hashable {
    /// A unit quaternion: w, x, y, z.
    package var rotation: SIMD4<Double>
    /// In the unit of the world.
    package var translation: SIMD3<Double>

    package init(rotation: SIMD4<Double>, translation: SIMD3<Double>) {
        self.rotation = rotation
        self.translation = translation
    }

    /// The pose of a camera at a place that looks at another, upright where y points up.
    package init(eye: SIMD3<Double>, lookingAt target: SIMD3<Double>) {
        let ahead = (target - eye).normalized
        let right = ahead.cross(SIMD3(0, 1, 0)).normalized
        let down = ahead.cross(right)
        rotation = Self.quaternion(rows: right, down, ahead)
        translation = -SIMD3(right.dot(eye), down.dot(eye), ahead.dot(eye))
    }

    /// The pose in another world, in which lengths are `scale` times as long: points are turned into it, scaled, then
    /// moved.
    package func moved(turn: SIMD4<Double>, scale: Double, offset: SIMD3<Double>) -> CameraPose {
        let turned = rotation.times(turn.conjugate).normalized
        return CameraPose(rotation: turned, translation: translation * scale - turned.turning(offset))
    }

    /// The camera's own axes in the world: to the right, down, ahead.
    package var axes: (right: SIMD3<Double>, down: SIMD3<Double>, ahead: SIMD3<Double>) {
        let (w, x, y, z) = (rotation[0], rotation[1], rotation[2], rotation[3])
        return (
            SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
        )
    }

    /// Where the camera stands.
    package var centre: SIMD3<Double> {
        let (right, down, ahead) = axes
        return -(right * translation[0] + down * translation[1] + ahead * translation[2])
    }

    /// Shepperd, *Quaternion from Rotation Matrix*, 1978: divides by the greatest of the four.
    private static func quaternion(rows a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) -> SIMD4<Double> {
        let squares = [1 + a.x + b.y + c.z, 1 + a.x - b.y - c.z, 1 - a.x + b.y - c.z, 1 - a.x - b.y + c.z]
        let greatest = squares.indices.max { squares[$0] < squares[$1] } ?? 0
        let twice = squares[greatest].squareRoot()
        let parts: SIMD4<Double> =
            switch greatest {
            case 0: [twice * twice, c.y - b.z, a.z - c.x, b.x - a.y]
            case 1: [c.y - b.z, twice * twice, a.y + b.x, a.z + c.x]
            case 2: [a.z - c.x, a.y + b.x, twice * twice, b.z + c.y]
            default: [b.x - a.y, a.z + c.x, b.z + c.y, twice * twice]
            }
        return parts / (2 * twice)
    }
}

/// Quaternions: w, x, y, z.
extension SIMD4<Double> {
    package var conjugate: Self { Self(x, -y, -z, -w) }
    package var normalized: Self { self / (self * self).sum().squareRoot() }
    private var vector: SIMD3<Double> { SIMD3(y, z, w) }

    /// The rotation that first does the other's, then this one's.
    package func times(_ other: Self) -> Self {
        let (a, b) = (vector, other.vector)
        let v = b * x + a * other.x + a.cross(b)
        return Self(x * other.x - a.dot(b), v.x, v.y, v.z)
    }

    /// A vector, turned by this unit quaternion.
    package func turning(_ point: SIMD3<Double>) -> SIMD3<Double> {
        let side = vector.cross(point) * 2
        return point + side * x + vector.cross(side)
    }

    /// The angle of this rotation, in radians, 0...π.
    package var angle: Double { 2 * atan2(vector.length, abs(x)) }
}

extension SIMD3<Double> {
    package func dot(_ other: Self) -> Double { (self * other).sum() }
    package var length: Double { dot(self).squareRoot() }
    package var normalized: Self { self / length }

    package func cross(_ other: Self) -> Self {
        Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}
