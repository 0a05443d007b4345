import Synchronization

/// The downloads under way: each holds a whole photo in memory, for as long as its browser takes.
final class Downloads: Sendable {
    /// The most at a time.
    static let most = 16

    private let count = Mutex(0)

    /// A download's place, for as long as somebody holds this.
    final class Place: Sendable {
        private let downloads: Downloads

        fileprivate init(_ downloads: Downloads) { self.downloads = downloads }

        deinit { downloads.count.withLock { $0 -= 1 } }
    }

    /// - Returns: nil where all places are taken.
    func enter() -> Place? {
        let isIn = count.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        return isIn ? Place(self) : nil
    }
}
