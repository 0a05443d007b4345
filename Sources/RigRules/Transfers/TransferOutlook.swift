/// What of photos is still to come to the coordinator, and how long that takes at the pace of now.
package struct TransferOutlook: Hashable, Sendable {
    package private(set) var photoCount = 0
    package private(set) var byteCount = 0
    /// All nodes together.
    package private(set) var bytesPerSecond = 0.0
    /// How long the slowest node takes, in seconds; nil where that is not known.
    package private(set) var seconds: Double? = 0

    mutating func add(photoCount: Int, byteCount: Int, bytesPerSecond: Double?) {
        guard byteCount > 0 else { return }
        self.photoCount += photoCount
        self.byteCount += byteCount
        self.bytesPerSecond += bytesPerSecond ?? 0
        seconds = bytesPerSecond.flatMap { pace in seconds.map { max($0, Double(byteCount) / max(pace, 1)) } }
    }
}
