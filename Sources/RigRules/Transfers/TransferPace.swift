import CaptureModel

/// How much a node is asked for at a time, as its wire has shown to carry; pure.
///
/// What is on its way is about what comes in a second, in a few pieces: less would leave a fast wire idle, more would
/// fill a slow one with what is asked for already, and every piece that arrives shows that it moves. It begins with
/// little, and at most doubles with each piece, as TCP does.
struct TransferPace: Sendable {
    /// What is asked for before anything has come, in bytes.
    static let first = 64 << 10
    /// The pieces that are on their way together.
    private static let pieces = 4
    /// No piece is smaller, in bytes: each has a header, and a frame's seal.
    private static let leastPiece = 16 << 10
    /// The weight of what came last.
    private static let weight = 0.3

    /// The most that may be on its way, in bytes, and the largest piece.
    private let most, largestPiece: Int
    /// How much may be on its way now, in bytes.
    private(set) var window: Int
    /// In bytes a second; nil before anything has come.
    private(set) var bytesPerSecond: Double?

    init(most: Int, largestPiece: Int) {
        (self.most, self.largestPiece) = (most, largestPiece)
        window = min(Self.first, most)
    }

    /// How much a piece has, in bytes.
    var piece: Int { min(largestPiece, max(min(Self.leastPiece, window), window / Self.pieces)) }

    /// Whether it takes so little of the rig's wire, or has so little of its own, that it is in nobody's way.
    var isSlow: Bool { bytesPerSecond.map { $0 < Double(most) / 4 } ?? false }

    /// A piece came.
    ///
    /// Pieces arrive in bursts, so what lies between two of them says nothing: as in BBR (Cardwell et al., *ACM Queue* 14,
    /// 2016), what was delivered between a request and its answer counts, over the time that this took.
    ///
    /// - Parameters:
    ///   - byteCount: of all that came since it was asked for.
    ///   - nanoseconds: since then.
    mutating func arrived(byteCount: Int, after nanoseconds: Int64) {
        let pace = Double(byteCount) / (Double(max(nanoseconds, 1000)) / 1e9)
        bytesPerSecond = bytesPerSecond.map { $0 + Self.weight * (pace - $0) } ?? pace
        let wanted = Int(min(bytesPerSecond ?? 0, Double(most)))
        window = min(max(wanted, min(Self.leastPiece, most)), 2 * window, most)
    }

    /// How long so many bytes may take until they are not expected any more, in nanoseconds.
    func patience(byteCount: Int) -> Int64 {
        guard let bytesPerSecond, bytesPerSecond >= 1 else { return Self.leastPatience }
        return max(Self.leastPatience, Int64(min(8 * Double(byteCount) / bytesPerSecond, 3600) * 1e9))
    }

    /// A piece that has not come by then may be lost, in nanoseconds.
    static let leastPatience = Int64.seconds(10)
}
