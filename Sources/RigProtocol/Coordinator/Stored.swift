package import CaptureModel

/// coordinator -> node: these events are in the catalogue and their photos in the library, on disk.
package struct Stored: WireMessage, Hashable {
    package static let type = "stored"
    /// The capture that the events belong to.
    package var uniqueID: UniqueID
    /// Sequence numbers of events that need not be sent again.
    package var sequences: [Int]

    package init(uniqueID: UniqueID, sequences: [Int]) {
        self.uniqueID = uniqueID
        self.sequences = sequences
    }
}
