package import CaptureModel

/// node -> coordinator: who I am and what I can do. First on every connection, repeated until answered.
package struct Hello: WireMessage, Hashable {
    package static let type = "hello"
    /// What the node calls itself; it is the name that its key belongs to which counts.
    package var node: NodeName
    /// Different for each start of the program: it tells a restart from a second node of the same name.
    package var instance: String
    /// What the node's camera can do; nil while there is none.
    package var capabilities: CameraCapabilities?
    /// Why there is no camera, where there is none.
    package var cameraError: CaptureError?
    /// The greatest uniqueID that this node has ever seen.
    package var lastUniqueID: UniqueID
    /// The epoch of the coordinator that it obeys; see ``Welcome/epoch``.
    package var epoch: Int64
    /// The oldest and the newest version of the wire that the node speaks.
    package var versions: [Int]
    /// The release of the node's program.
    package var software: String?

    package init(
        node: NodeName, instance: String, capabilities: CameraCapabilities?, cameraError: CaptureError?,
        lastUniqueID: UniqueID, epoch: Int64 = 0, versions: [Int] = WireVersion.spoken,
        software: String? = Release.version
    ) {
        self.node = node
        self.instance = instance
        self.capabilities = capabilities
        self.cameraError = cameraError
        self.lastUniqueID = lastUniqueID
        self.epoch = epoch
        self.versions = versions
        self.software = software
    }
}
