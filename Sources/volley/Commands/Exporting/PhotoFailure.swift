import CaptureModel

/// A photo that could not be had, and why.
struct PhotoFailure: Encodable {
    private static let mostTold = 10

    let uniqueID: UniqueID
    let node: NodeName
    let photoCount: Int
    let message: String

    init(_ id: PhotoID, _ message: String) {
        (uniqueID, node, photoCount, self.message) = (id.uniqueID, id.node, id.photoCount, message)
    }

    /// What is said of them: of many, the first.
    static func lines(_ failures: [PhotoFailure]) -> [String] {
        let lines = failures.prefix(mostTold).map {
            "Photo \($0.photoCount) of \($0.node), capture \($0.uniqueID): \($0.message)."
        }
        let others = failures.count - mostTold
        return others > 0 ? lines + ["And \(others) more (--json lists them)."] : lines
    }
}
