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

    /// `m`, or `none` where the scale is not known.
    package var lengthUnit: String
    package var cameras: [Camera]

    package init(_ cameras: [CameraGeometry], lengthUnit: String = "none") {
        self.lengthUnit = lengthUnit
        self.cameras = cameras.map(Camera.init)
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
}
