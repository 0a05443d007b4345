/// What became of the cameras of a rig since its geometry was kept.
package struct RigComparison: Sendable {
    /// How one camera stands to where it stood.
    package struct Shift: Sendable {
        package let camera: String
        /// As a share of the rig's radius.
        package let distance: Double
        /// In the unit of the geometry.
        package let length: Double
        /// The angle by which it was rotated, in radians.
        package let angle: Double
        /// Of the new focal length to the kept one; nil where pictures have another size.
        package let zoom: Double?
    }

    /// Of the cameras that both have, in their order.
    package let shifts: [Shift]

    /// - Returns: nil where they have too few cameras in common to tell which of them moved: less than four.
    package init?(_ found: [CameraGeometry], against kept: RigGeometry) {
        let former = Dictionary(kept.cameras.map { ($0.camera, $0) }) { first, _ in first }
        let common = found.filter { former[$0.camera] != nil }
        guard common.count >= 4, let alignment = RigAlignment(from: common, to: kept.cameras) else { return nil }
        let radius = kept.radius
        shifts = common.compactMap { camera in
            guard let old = former[camera.camera] else { return nil }
            let pose = alignment.moved(camera.pose)
            let length = (pose.centre - old.pose.centre).length
            let isSame = camera.intrinsics.dimensions == old.intrinsics.dimensions
            return Shift(
                camera: camera.camera, distance: length / radius, length: length,
                angle: pose.rotation.times(old.pose.rotation.conjugate).angle,
                zoom: isSame ? camera.intrinsics.focalLengthX / old.intrinsics.focalLengthX : nil)
        }
    }
}
