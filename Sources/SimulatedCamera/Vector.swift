/// Three numbers: a point, a direction or a colour.
typealias Vector = SIMD3<Float>

extension Vector {
    func dot(_ other: Vector) -> Float { (self * other).sum() }

    var normalized: Vector { self / dot(self).squareRoot() }

    func cross(_ other: Vector) -> Vector {
        Vector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}
