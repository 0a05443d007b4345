package import CaptureModel

/// What a reconstruction says of the cameras of one capture.
package struct RigReconstruction: Sendable {
    /// Those that were placed, in the order of their nodes.
    package private(set) var cameras: [CameraGeometry] = []
    /// The nodes whose cameras could not be placed.
    package private(set) var missing: [NodeName] = []

    /// - Parameters:
    ///   - model: of an export for COLMAP, or of its folder of images.
    ///   - capture: of whose photos the first of each node counts.
    ///   - nodes: those that count.
    ///   - cameras: what their cameras are known by; one that was not there is missing.
    package init(_ model: COLMAPModel, of capture: UniqueID, nodes: [NodeName], cameras: [NodeName: String]) {
        var images: [NodeName: COLMAPModel.Image] = [:]
        for image in model.images.sorted(by: { $0.name < $1.name }) {
            guard let (node, id) = COLMAPLayout.photo(image.name), id == capture, images[node] == nil else { continue }
            images[node] = image
        }
        for node in nodes.sorted(by: { $0.precedes($1) }) {
            if let image = images[node], let camera = cameras[node] {
                self.cameras.append(CameraGeometry(camera: camera, intrinsics: image.intrinsics, pose: image.pose))
            } else {
                missing.append(node)
            }
        }
    }

    /// The mean of several reconstructions of one rig, in the axes of the first.
    ///
    /// - Returns: each camera, and how far its places are from their mean at most, as a share of the rig's radius; nil
    ///   where one has less than two cameras in common with the first.
    package static func mean(_ captures: [[CameraGeometry]]) -> (cameras: [CameraGeometry], scatter: Double)? {
        guard let first = captures.first else { return nil }
        var found = Dictionary(grouping: first) { $0.camera }
        var order = first.map(\.camera)
        for capture in captures.dropFirst() {
            guard let alignment = RigAlignment(from: capture, to: first) else { return nil }
            for var camera in capture {
                camera.pose = alignment.moved(camera.pose)
                if found[camera.camera] == nil { order.append(camera.camera) }
                found[camera.camera, default: []].append(camera)
            }
        }
        let radius = RigGeometry(since: 0, captures: [], isMetric: false, cameras: first).radius
        let means = order.compactMap { found[$0].map(Self.mean) }
        return (means.map(\.camera), (means.map(\.scatter).max() ?? 0) / radius)
    }

    private static func mean(_ places: [CameraGeometry]) -> (camera: CameraGeometry, scatter: Double) {
        var camera = places[0]
        let count = Double(places.count)
        let turns = places.map(\.pose.rotation).map { ($0 * camera.pose.rotation).sum() < 0 ? -$0 : $0 }
        let rotation = turns.reduce(.zero, +).normalized
        let centre = places.map(\.pose.centre).reduce(.zero, +) / count
        camera.pose = CameraPose(rotation: rotation, translation: -rotation.turning(centre))
        // Of pictures of another size it is another lens.
        let lenses = places.map(\.intrinsics).filter { $0.dimensions == camera.intrinsics.dimensions }
        func mean(_ part: KeyPath<CameraIntrinsics, Double>) -> Double {
            lenses.map { $0[keyPath: part] }.reduce(0, +) / Double(lenses.count)
        }
        var lens = camera.intrinsics
        (lens.focalLengthX, lens.focalLengthY) = (mean(\.focalLengthX), mean(\.focalLengthY))
        (lens.principalPointX, lens.principalPointY) = (mean(\.principalPointX), mean(\.principalPointY))
        (lens.k1, lens.k2) = (mean(\.k1), mean(\.k2))
        camera.intrinsics = lens
        return (camera, places.map { ($0.pose.centre - centre).length }.max() ?? 0)
    }
}
