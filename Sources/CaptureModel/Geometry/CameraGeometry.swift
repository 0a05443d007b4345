/// Where a camera stands, and how it maps directions to pixels.
///
/// In COLMAP's terms: the camera's axes point to the right, down and ahead; the centre of the first pixel is at
/// (0.5, 0.5).
package struct CameraGeometry: Codable, Sendable, Hashable {
    /// The camera's serial number, or what stands in for it.
    package var camera: String
    package var intrinsics: CameraIntrinsics
    package var pose: CameraPose

    package init(camera: String, intrinsics: CameraIntrinsics, pose: CameraPose) {
        self.camera = camera
        self.intrinsics = intrinsics
        self.pose = pose
    }
}

/// How a camera maps directions to pixels: COLMAP's model `OPENCV` without its tangential part.
package struct CameraIntrinsics: Codable, Sendable, Hashable {
    /// The pictures that this holds for.
    package var dimensions: Dimensions
    /// In pixels.
    package var focalLengthX, focalLengthY: Double
    /// In pixels from the picture's upper left corner.
    package var principalPointX, principalPointY: Double
    /// A point at the distance r from the axis (in focal lengths) is seen at r · (1 + k1 · r² + k2 · r⁴).
    package var k1 = 0.0
    package var k2 = 0.0

    package init(dimensions: Dimensions, focalLength: Double) {
        self.dimensions = dimensions
        focalLengthX = focalLength
        focalLengthY = focalLength
        principalPointX = Double(dimensions.width) / 2
        principalPointY = Double(dimensions.height) / 2
    }

    /// The direction that is seen at a point of the picture: to the right, down, and 1 ahead; nil where the lens maps
    /// none there.
    package func direction(x: Double, y: Double) -> SIMD3<Double>? {
        let seen = SIMD2((x - principalPointX) / focalLengthX, (y - principalPointY) / focalLengthY)
        guard let factor = undistorted(radius: (seen * seen).sum().squareRoot()) else { return nil }
        return SIMD3(seen.x * factor, seen.y * factor, 1)
    }

    /// What a seen radius is multiplied by for the true one, by Newton's method.
    private func undistorted(radius seen: Double) -> Double? {
        guard seen > 0, k1 != 0 || k2 != 0 else { return 1 }
        var radius = seen
        for _ in 0..<20 {
            let square = radius * radius
            let slope = 1 + 3 * k1 * square + 5 * k2 * square * square
            // Beyond the turning point of a barrel the formula folds the picture over.
            guard slope > 0.01 else { return nil }
            let error = radius * (1 + k1 * square + k2 * square * square) - seen
            radius -= error / slope
            if abs(error) < 1e-9 { return radius / seen }
        }
        return nil
    }
}
