package import RigClock

/// A node's side of the wire.
package protocol NodeLink: Sendable {
    /// Sends a message on the control plane; one that is sent while disconnected is lost.
    func send(_ message: NodeMessage)
    /// Returns what comes next on the control plane; nil once the link is closed, as do the others.
    func next() async -> NodeArrival?
    /// Connects again after a refusal: libzmq gives up for good on a peer that refused it.
    func reconnect() throws
    /// Connects the planes that a welcome named; called again after the coordinator restarted.
    func openPlanes(clockPort: Int, bulkPort: Int, instance: String) throws
    /// Returns the next request for a piece of a photo.
    func nextChunkRequest() async -> ChunkRequest?
    /// Returns the next request for what the camera sees.
    func nextPreviewRequest() async -> PreviewRequest?
    /// Sends a piece of a photo on the bulk plane.
    func send(_ chunk: Chunk, bytes: [UInt8])
    /// Sends what the camera sees on the bulk plane.
    func send(_ preview: Preview, bytes: [UInt8])
    /// Asks for the time, and again as soon as that is answered; ``nextProbe()`` returns the answers.
    func sendProbe()
    /// Returns the next answered probe.
    func nextProbe() async -> ClockProbe?
    /// Closes all planes.
    func close()
}
