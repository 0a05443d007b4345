import CaptureModel
import Testing

@Suite("The geometry of a camera")
struct CameraGeometryTests {
    @Test(
        "knows where it stands and what it looks at",
        arguments: [SIMD3(3.4, 2.2, 0.1), SIMD3(-3.4, 2.2, 0), SIMD3(0.01, 1, 3), SIMD3(-2, -1.5, -2)])
    func pose(eye: SIMD3<Double>) {
        let target = SIMD3(0, 0.35, 0)
        let pose = CameraPose(eye: eye, lookingAt: target)
        let axes = pose.axes
        #expect((pose.centre - eye).dot(pose.centre - eye) < 1e-18)
        #expect(abs(axes.ahead.dot((target - eye).normalized) - 1) < 1e-12)
        // A right-handed system, with the world upright.
        #expect(abs(axes.right.cross(axes.down).dot(axes.ahead) - 1) < 1e-12)
        #expect(abs(axes.right.y) < 1e-12 && axes.down.y < 0)
        #expect(abs((pose.rotation * pose.rotation).sum() - 1) < 1e-12)
    }

    @Test("sees through a lens that distorts what COLMAP's formula sends there", arguments: [-0.2, 0.0, 0.1])
    func distortion(k1: Double) throws {
        var lens = CameraIntrinsics(dimensions: Dimensions(width: 640, height: 480), focalLength: 580)
        lens.k1 = k1
        let direction = try #require(lens.direction(x: 600, y: 30))
        let square = direction.x * direction.x + direction.y * direction.y
        let seen = direction * (1 + k1 * square) * 580
        #expect(abs(seen.x + 320 - 600) < 1e-6 && abs(seen.y + 240 - 30) < 1e-6)
    }

    @Test("shows nothing where a barrel would fold the picture over")
    func fold() {
        var lens = CameraIntrinsics(dimensions: Dimensions(width: 640, height: 480), focalLength: 100)
        lens.k1 = -0.3
        #expect(lens.direction(x: 320, y: 240) != nil)
        #expect(lens.direction(x: 0, y: 0) == nil)
    }
}
