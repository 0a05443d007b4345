package import CaptureModel

/// coordinator -> node: you belong to the rig; here are the other planes.
package struct Welcome: WireMessage, Hashable {
    package static let type = "welcome"
    /// The port of the clock plane, on the host that the node already talks to.
    package var clockPort: Int
    /// The port of the bulk plane.
    package var bulkPort: Int
    /// Grows with each start of a coordinator: if two run at once, a node obeys the one that started later.
    package var epoch: Int64
    /// Changes when the catalogue is no longer the one that acknowledged things before, for example because it was
    /// restored from a backup: a node then sends all that it has again.
    package var history: Int64
    /// An epoch that no coordinator can have but that the node obeys: it is to forget that one in favour of this.
    package var replaces: Int64?
    /// What the node is called, whatever it calls itself; nil from a coordinator of an earlier release.
    package var node: NodeName?

    package init(clockPort: Int, bulkPort: Int, epoch: Int64 = 0, history: Int64 = 0) {
        self.clockPort = clockPort
        self.bulkPort = bulkPort
        self.epoch = epoch
        self.history = history
    }
}
