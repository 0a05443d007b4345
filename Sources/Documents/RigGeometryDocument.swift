package import CaptureModel

/// Where the cameras of a rig stand and what they see, as a JSON document.
package struct RigGeometryDocument: Codable, Sendable {
    /// One camera.
    package struct Camera: Codable, Sendable {
        /// The camera's serial number, or what stands in for it.
        package var camera: String
        package var widthPixels, heightPixels: Int
        /// Horizontally and vertically.
        package var focalLengthPixels: [Double]
        /// From the picture's upper left corner, to the right and down; the first pixel's centre is at (0.5, 0.5).
        package var principalPointPixels: [Double]
        /// k1 and k2 of COLMAP's model OPENCV.
        package var radialDistortion: [Double]
        /// From the rig's axes to the camera's (to the right, down, ahead): the unit quaternion w, x, y, z.
        package var rotation: [Double]
        /// Added after the rotation, in `lengthUnit`.
        package var translation: [Double]
    }

    /// A stored geometry's version, the time from which it holds, who stored it, and the captures it was computed from.
    package var version: Int?
    package var since: WallTime?
    package var user: NodeName?
    package var captures: [UniqueID]?
    /// `m`, or `none` where the scale is not known.
    package var lengthUnit: String
    package var cameras: [Camera]

    package init(_ cameras: [CameraGeometry], lengthUnit: String = "none") {
        self.lengthUnit = lengthUnit
        self.cameras = cameras.map(Camera.init)
    }

    package init(_ geometry: RigGeometry) {
        self.init(geometry.cameras, lengthUnit: geometry.isMetric ? "m" : "none")
        version = geometry.version > 0 ? geometry.version : nil
        (since, user) = (WallTime(geometry.since), geometry.user)
        captures = geometry.captures
    }

    /// The same, as somebody brings it in; nil where a list has the wrong number of values.
    ///
    /// - Parameter since: from when on it holds.
    package func geometry(since: UTCTime) -> RigGeometry? {
        let cameras = cameras.compactMap(\.geometry)
        guard cameras.count == self.cameras.count, ["m", "none"].contains(lengthUnit) else { return nil }
        return RigGeometry(since: since, captures: [], isMetric: lengthUnit == "m", cameras: cameras)
    }
}

extension RigGeometryDocument.Camera {
    init(_ geometry: CameraGeometry) {
        let (lens, pose) = (geometry.intrinsics, geometry.pose)
        self.init(
            camera: geometry.camera, widthPixels: lens.dimensions.width, heightPixels: lens.dimensions.height,
            focalLengthPixels: [lens.focalLengthX, lens.focalLengthY],
            principalPointPixels: [lens.principalPointX, lens.principalPointY],
            radialDistortion: [lens.k1, lens.k2],
            rotation: pose.rotation.indices.map { pose.rotation[$0] },
            translation: pose.translation.indices.map { pose.translation[$0] })
    }

    /// Nil where a list has the wrong number of values.
    fileprivate var geometry: CameraGeometry? {
        guard focalLengthPixels.count == 2, principalPointPixels.count == 2, radialDistortion.count == 2,
            rotation.count == 4, translation.count == 3
        else { return nil }
        var lens = CameraIntrinsics(
            dimensions: Dimensions(width: widthPixels, height: heightPixels), focalLength: focalLengthPixels[0])
        lens.focalLengthY = focalLengthPixels[1]
        (lens.principalPointX, lens.principalPointY) = (principalPointPixels[0], principalPointPixels[1])
        (lens.k1, lens.k2) = (radialDistortion[0], radialDistortion[1])
        let pose = CameraPose(
            rotation: SIMD4(rotation[0], rotation[1], rotation[2], rotation[3]),
            translation: SIMD3(translation[0], translation[1], translation[2]))
        return CameraGeometry(camera: camera, intrinsics: lens, pose: pose)
    }
}
