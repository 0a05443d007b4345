extension Sequence<CaptureNodeDetail> {
    /// What the camera of each node of a capture is known by in a rig's geometry: its serial number; with its node's name
    /// where several have the same, as cheap webcams do, and its own name there where it has none.
    package var cameraIdentities: [NodeName: String] {
        let counts = Dictionary(compactMap { $0.camera?.serialNumber }.map { ($0, 1) }, uniquingKeysWith: +)
        let identities = compactMap { node in
            node.camera.map { camera -> (NodeName, String) in
                guard let serial = camera.serialNumber else { return (node.node, "\(camera.cameraID) \(node.node)") }
                return (node.node, counts[serial] == 1 ? serial : "\(serial) \(node.node)")
            }
        }
        return Dictionary(identities) { first, _ in first }
    }
}
