package import CaptureModel

/// coordinator -> node: resolve these settings and hold them ready.
package struct Prepare: WireMessage, Hashable {
    package static let type = "prepare"
    /// The capture to prepare.
    package var uniqueID: UniqueID
    /// What to take: each node finds its own part in it.
    package var plan: Plan
    /// What all nodes are to use: once they have reported what they see, the message comes a second time, with this.
    package var shared: SharedSettings?
    /// What the photos' files say of the capture.
    package var tags: PhotoTags?

    package init(uniqueID: UniqueID, plan: Plan, shared: SharedSettings? = nil, tags: PhotoTags? = nil) {
        self.uniqueID = uniqueID
        self.plan = plan
        self.shared = shared
        self.tags = tags
    }
}
