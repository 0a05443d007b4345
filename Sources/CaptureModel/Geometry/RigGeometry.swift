/// Where the cameras of a rig stand and what they see: by camera, as a node may get another.
package struct RigGeometry: Codable, Sendable, Hashable {
    /// The most cameras of a rig, and the most versions that are kept.
    package static let (mostCameras, mostVersions) = (1000, 1_000_000)

    /// 1 for the first that was kept; 0 for one that is not kept.
    package var version = 0
    /// From when on it holds: when the first of its captures was fired, or when it was brought in.
    package var since: UTCTime
    /// Who had it kept.
    package var user: NodeName?
    /// The captures that it was calculated from; empty where it was brought in.
    package var captures: [UniqueID]
    /// Whether lengths are metres; else the cameras are 1 from their middle, on average.
    package var isMetric: Bool
    package var cameras: [CameraGeometry]

    package init(since: UTCTime, captures: [UniqueID], isMetric: Bool, cameras: [CameraGeometry]) {
        (self.since, self.captures, self.isMetric, self.cameras) = (since, captures, isMetric, cameras)
    }

    /// What keeps it from being one; nil for nothing.
    package var problem: String? {
        guard (0...Self.mostVersions).contains(version), (0...4_000_000_000_000_000).contains(since.rawValue) else {
            return "Its version or its time is none."
        }
        guard captures.count <= Self.mostCameras else { return "It comes from too many captures." }
        guard (2...Self.mostCameras).contains(cameras.count) else {
            return "A rig's geometry has 2 to \(Self.mostCameras) cameras, not \(cameras.count)."
        }
        let counts = Dictionary(cameras.map { ($0.camera, 1) }, uniquingKeysWith: +)
        if let twice = cameras.first(where: { counts[$0.camera] != 1 })?.camera {
            return "Camera \(twice) is there twice."
        }
        for camera in cameras {
            if let problem = camera.problem { return "Camera \(camera.camera): \(problem)" }
        }
        guard radius > 1e-9 else { return "All its cameras stand in one place." }
        return nil
    }

    /// How far the cameras are from their middle, on average.
    package var radius: Double {
        let centres = cameras.map(\.pose.centre)
        let middle = centres.reduce(.zero, +) / Double(max(1, centres.count))
        return centres.map { ($0 - middle).length }.reduce(0, +) / Double(max(1, centres.count))
    }

    /// The same with the first camera in the middle of the axes, and with lengths `scale` times as long.
    package func normalized(scale: Double) -> RigGeometry {
        guard let first = cameras.first?.pose else { return self }
        var geometry = self
        let (turn, offset) = (first.rotation, first.translation * scale)
        for index in cameras.indices {
            geometry.cameras[index].pose = cameras[index].pose.moved(turn: turn, scale: scale, offset: offset)
        }
        return geometry
    }
}

extension CameraGeometry {
    /// What keeps it from being one; nil for nothing.
    fileprivate var problem: String? {
        let lens = intrinsics
        let numbers = [
            lens.focalLengthX, lens.focalLengthY, lens.principalPointX, lens.principalPointY, lens.k1, lens.k2,
        ]
        let places = pose.translation.indices.map { pose.translation[$0] }
        let turns = pose.rotation.indices.map { pose.rotation[$0] }
        guard (numbers + places + turns).allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else {
            return "a number is none, or too great."
        }
        guard abs((pose.rotation * pose.rotation).sum() - 1) < 1e-3 else {
            return "its rotation is no unit quaternion."
        }
        let sizes = 1...100_000
        guard sizes.contains(lens.dimensions.width), sizes.contains(lens.dimensions.height) else {
            return "its pictures have no size."
        }
        guard lens.focalLengthX > 0, lens.focalLengthY > 0 else { return "its focal length is not above 0." }
        return camera.isEmpty || camera.utf8.count > 200 ? "its serial number is empty or too long." : nil
    }
}
