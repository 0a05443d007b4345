import CaptureModel
import Foundation
import Testing

@Suite("A rig's geometry")
struct RigGeometryTests {
    private func random(_ range: ClosedRange<Double>, _ generator: inout SeededGenerator) -> Double {
        Double.random(in: range, using: &generator)
    }

    private func direction(_ generator: inout SeededGenerator) -> SIMD3<Double> {
        SIMD3(random(-1...1, &generator), random(-1...1, &generator), random(-1...1, &generator)).normalized
    }

    /// Cameras on a ring, each a little off it, that look at its middle.
    private func ring(_ count: Int, _ generator: inout SeededGenerator) -> [CameraGeometry] {
        (0..<count).map { number in
            let angle = Double(number) * 2 * .pi / Double(count)
            let eye = SIMD3(3 * sin(angle), 1 + random(-0.2...0.2, &generator), 3 * cos(angle))
            return CameraGeometry(
                camera: "S\(number)",
                intrinsics: CameraIntrinsics(dimensions: Dimensions(width: 640, height: 480), focalLength: 600),
                pose: CameraPose(eye: eye, lookingAt: .zero))
        }
    }

    private func quaternion(_ axis: SIMD3<Double>, _ angle: Double) -> SIMD4<Double> {
        let half = axis * sin(angle / 2)
        return SIMD4(cos(angle / 2), half.x, half.y, half.z)
    }

    @Test("in another world sees its points where it saw them", arguments: 1...20)
    func moved(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let turn = quaternion(direction(&generator), random(-3...3, &generator))
        let (scale, offset) = (random(0.1...9, &generator), direction(&generator) * 5)
        for camera in ring(3, &generator) {
            let point = direction(&generator)
            let moved = camera.pose.moved(turn: turn, scale: scale, offset: offset)
            let seen = camera.pose.rotation.turning(point) + camera.pose.translation
            let there = turn.turning(point) * scale + offset
            #expect((moved.rotation.turning(there) + moved.translation - seen * scale).length < 1e-9)
            // The axes are those that the simulated camera is held against.
            #expect((camera.pose.axes.ahead - camera.pose.rotation.conjugate.turning(SIMD3(0, 0, 1))).length < 1e-12)
        }
    }

    @Test("is found again in any axes, and whoever moved meanwhile is named", arguments: 1...40)
    func comparison(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = [4, 5, 8, 24, 100][Int(seed) % 5]
        let kept = RigGeometry(since: 1, captures: [], isMetric: false, cameras: ring(count, &generator))
        // Up to a third of them.
        let moved = Set((0..<max(1, count / 3)).map { _ in Int.random(in: 0..<count, using: &generator) })
        let turn = quaternion(direction(&generator), random(-3...3, &generator))
        let offset = direction(&generator) * 7
        let found = kept.cameras.enumerated().map { index, camera in
            var camera = camera
            // As far as reconstructions are off: 0.1 % of the radius, and 0.02 degrees.
            let push = direction(&generator) * (moved.contains(index) ? 0.06 : 0.003)
            let tilt = quaternion(direction(&generator), 0.0004)
            let centre = camera.pose.centre + push
            camera.pose.rotation = tilt.times(camera.pose.rotation)
            camera.pose.translation = -camera.pose.rotation.turning(centre)
            camera.pose = camera.pose.moved(turn: turn, scale: 0.37, offset: offset)
            return camera
        }
        let comparison = try #require(RigComparison(found.shuffled(using: &generator), against: kept))
        #expect(comparison.shifts.count == count)
        let named = Set(comparison.shifts.filter { $0.distance > 0.01 }.compactMap { Int($0.camera.dropFirst()) })
        #expect(named == moved)
        for shift in comparison.shifts where !named.contains(Int(shift.camera.dropFirst()) ?? -1) {
            #expect(shift.distance < 0.004 && shift.angle < 0.002 && shift.zoom == 1)
        }
    }

    @Test(
        "names a camera that was turned in its place, and no other",
        arguments: [4, 5, 8, 24], [1.0, 3, 10, 90])
    func turned(count: Int, degrees: Double) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let kept = RigGeometry(since: 1, captures: [], isMetric: false, cameras: ring(count, &generator))
        var found = kept.cameras
        for index in found.indices {
            let centre = found[index].pose.centre
            let angle = index == 2 ? degrees * .pi / 180 : 0.0003
            let tilt = quaternion(index == 2 ? SIMD3(0, 1, 0) : direction(&generator), angle)
            found[index].pose.rotation = tilt.times(found[index].pose.rotation)
            found[index].pose.translation = -found[index].pose.rotation.turning(centre)
        }
        let comparison = try #require(RigComparison(found, against: kept))
        #expect(comparison.shifts.filter { $0.distance > 0.01 || $0.angle > 0.01 }.map(\.camera) == ["S2"])
    }

    @Test(
        "names neighbours that were pushed outward together, and no other",
        arguments: [(5, 2, 0.02), (8, 3, 0.02), (24, 8, 0.05), (24, 10, 0.1)])
    func pushed(count: Int, moved: Int, share: Double) throws {
        var generator = SeededGenerator(seed: 9)
        let kept = RigGeometry(since: 1, captures: [], isMetric: false, cameras: ring(count, &generator))
        var found = kept.cameras
        for index in found.indices {
            let centre = found[index].pose.centre
            let noise = direction(&generator) * 0.003
            let place = (index < moved ? centre * (1 + share) : centre) + noise
            found[index].pose.translation = -found[index].pose.rotation.turning(place)
        }
        let comparison = try #require(RigComparison(found, against: kept))
        let named = comparison.shifts.filter { $0.distance > 0.01 }.map(\.camera)
        #expect(named == (0..<moved).map { "S\($0)" })
    }

    @Test("has the first camera in the middle of its axes, and lengths as long as they are asked for")
    func normalized() {
        var generator = SeededGenerator(seed: 3)
        let rig = RigGeometry(since: 1, captures: [], isMetric: true, cameras: ring(6, &generator))
        let normal = rig.normalized(scale: 2)
        #expect(normal.cameras[0].pose.centre.length < 1e-12 && normal.cameras[0].pose.rotation.angle < 1e-6)
        #expect(abs(normal.radius - 2 * rig.radius) < 1e-9)
        let before = (rig.cameras[1].pose.centre - rig.cameras[4].pose.centre).length
        let after = (normal.cameras[1].pose.centre - normal.cameras[4].pose.centre).length
        #expect(abs(after - 2 * before) < 1e-9)
    }

    @Test("is refused where it is none")
    func problems() {
        var generator = SeededGenerator(seed: 4)
        let rig = RigGeometry(since: 1, captures: [], isMetric: true, cameras: ring(6, &generator))
        #expect(rig.problem == nil)
        func expectProblem(_ change: (inout RigGeometry) -> Void) {
            var bad = rig
            change(&bad)
            #expect(bad.problem != nil)
        }
        expectProblem { $0.cameras.removeLast(5) }
        expectProblem { $0.cameras[1].camera = "S0" }
        expectProblem { $0.cameras[1].camera = "" }
        expectProblem { $0.cameras[1].pose.rotation *= 2 }
        expectProblem { $0.cameras[1].pose.translation.x = .nan }
        expectProblem { $0.cameras[1].intrinsics.k1 = .infinity }
        expectProblem { $0.cameras[1].intrinsics.focalLengthX = 0 }
        expectProblem { $0.cameras[1].intrinsics.dimensions = .zero }
    }
}

/// SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
