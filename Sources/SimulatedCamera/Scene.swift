import CaptureModel
import Glibc

/// The one scene that all simulated cameras look at, each from its own place: coloured balls on a chequered table,
/// everything with a texture.
///
/// Brightness is linear and has no unit; the sensor decides what exposure suits it.
struct Scene {
    private struct Ball {
        let centre: Vector
        let radius: Float
        let colour: Vector
    }

    private static let balls = [
        Ball(centre: Vector(0, 0.55, 0), radius: 0.55, colour: Vector(0.75, 0.12, 0.10)),
        Ball(centre: Vector(1.05, 0.35, 0.45), radius: 0.35, colour: Vector(0.12, 0.45, 0.75)),
        Ball(centre: Vector(-0.95, 0.4, 0.6), radius: 0.4, colour: Vector(0.20, 0.60, 0.18)),
        Ball(centre: Vector(0.35, 0.25, -0.95), radius: 0.25, colour: Vector(0.85, 0.70, 0.15)),
        Ball(centre: Vector(-0.55, 0.2, -0.75), radius: 0.2, colour: Vector(0.82, 0.82, 0.80)),
        Ball(centre: Vector(-0.15, 0.16, 1.15), radius: 0.16, colour: Vector(0.45, 0.18, 0.55)),
    ]
    private static let sun = Vector(0.45, 0.8, 0.35).normalized
    private static let skyLight = Vector(0.30, 0.34, 0.42)

    /// Whether a lamp lights the middle of the table and leaves the rest nearly dark, from where the sun stands
    /// otherwise: more contrast than one exposure holds.
    var isSpotlit = false

    /// What its cameras look at.
    private static let middle = SIMD3(0, 0.35, 0)
    /// How far from the middle of the table its cameras stand.
    static let ringRadius = 3.4

    /// Where the camera of a seed stands: each at its own place on a circle around the table.
    static func pose(seed: UInt64) -> CameraPose {
        // The golden angle: consecutive seeds stand apart, and no two in the same place.
        let turn = (Double(seed) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
        return pose(
            degrees: turn * 360, height: 1.2 + 0.5 * (Double(seed) * 0.754_877_666).truncatingRemainder(dividingBy: 1))
    }

    /// Where a camera on the ring stands.
    static func pose(degrees: Double, height: Double = 2.2) -> CameraPose {
        let angle = degrees / 180 * .pi
        return CameraPose(
            eye: SIMD3(cos(angle) * ringRadius, height, sin(angle) * ringRadius), lookingAt: middle)
    }

    /// Returns linear red, green and blue for each pixel, row by row, as a camera sees them.
    func render(_ geometry: CameraGeometry) -> [Vector] {
        let (lens, axes) = (geometry.intrinsics, geometry.pose.axes)
        let eye = Vector(geometry.pose.centre)
        let angle = Float(1 / lens.focalLengthX)
        var pixels: [Vector] = []
        pixels.reserveCapacity(lens.dimensions.width * lens.dimensions.height)
        for row in 0..<lens.dimensions.height {
            for column in 0..<lens.dimensions.width {
                guard let seen = lens.direction(x: Double(column) + 0.5, y: Double(row) + 0.5) else {
                    pixels.append(.zero)
                    continue
                }
                let direction = axes.right * seen.x + axes.down * seen.y + axes.ahead * seen.z
                pixels.append(radiance(from: eye, towards: Vector(direction.normalized), pixel: angle))
            }
        }
        return pixels
    }

    /// - Parameter pixel: the angle that a pixel covers.
    private func radiance(from origin: Vector, towards direction: Vector, pixel: Float) -> Vector {
        /// The colour of a surface at a distance, with its texture.
        func textured(_ colour: Vector, _ point: Vector, _ distance: Float, _ normal: Vector) -> Vector {
            // A surface that is seen aslant has more of itself in a pixel.
            let footprint = distance * pixel / max(abs(direction.dot(normal)), 0.05)
            return colour * Texture.factor(at: point, footprint: footprint)
        }
        if let (ball, distance) = Self.nearestBall(origin, direction) {
            let point = origin + direction * distance
            let normal = (point - ball.centre) / ball.radius
            let gloss = max(0, (Self.sun - direction).normalized.dot(normal))
            return lit(textured(ball.colour, point, distance, normal), point, normal)
                + Vector(repeating: 0.9 * pow(gloss, 60))
        }
        if direction.y < -0.001 {
            let distance = -origin.y / direction.y
            let point = origin + direction * distance
            if point.x * point.x + point.z * point.z < 49 {
                let up = Vector(0, 1, 0)
                return lit(textured(Self.chequer(point), point, distance, up), point, up)
            }
        }
        let height = max(0, direction.y)
        if isSpotlit { return Vector(repeating: 0.03) }
        return Vector(0.55, 0.62, 0.72) * (1 - height) + Vector(0.20, 0.36, 0.70) * height
    }

    private static func chequer(_ point: Vector) -> Vector {
        let isDark = (Int((point.x * 2).rounded(.down)) + Int((point.z * 2).rounded(.down))) % 2 == 0
        return isDark ? Vector(0.10, 0.11, 0.12) : Vector(0.62, 0.60, 0.56)
    }

    private func lit(_ colour: Vector, _ point: Vector, _ normal: Vector) -> Vector {
        let facing = max(0, normal.dot(Self.sun))
        let isShadowed = facing > 0 && Self.nearestBall(point + normal * 0.001, Self.sun) != nil
        let sunlight: Float = isShadowed ? 0 : facing
        var sky = Self.skyLight * (0.6 + 0.4 * normal.y)
        var direct = Vector(1.0, 0.95, 0.86) * sunlight
        if isSpotlit { (sky, direct) = (sky * 0.12, direct * Self.spot(point)) }
        return colour * (sky + direct)
    }

    /// How much more light than the sun's the lamp gives: its beam is soft at its edge.
    private static func spot(_ point: Vector) -> Float {
        let beside = point - sun * point.dot(sun)
        return 4 * exp(-beside.dot(beside) / 0.8)
    }

    private static func nearestBall(_ origin: Vector, _ direction: Vector) -> (ball: Ball, distance: Float)? {
        var nearest: (ball: Ball, distance: Float)?
        for ball in balls {
            let offset = origin - ball.centre
            let along = offset.dot(direction)
            let discriminant = along * along - (offset.dot(offset) - ball.radius * ball.radius)
            guard discriminant > 0 else { continue }
            let distance = -along - discriminant.squareRoot()
            if distance > 0.001, distance < nearest?.distance ?? .infinity { nearest = (ball, distance) }
        }
        return nearest
    }
}
