extension Plan {
    /// The longest of its times, in nanoseconds.
    private static let longest = Int64.seconds(60)
    /// A plan's name is this long at most, in characters, and it names this many nodes or kinds of them that fire later.
    private static let (longestName, mostOffsets) = (200, 1000)

    /// What no plan can say, whoever sends it; nil for one that can be looked at.
    package var problem: String? {
        let offsets = offsets ?? []
        let times = [lead, maxSpread].compactMap { $0 } + offsets.map(\.nanoseconds)
        guard times.allSatisfy({ (0...Self.longest).contains($0) }) else {
            return "lead, maxSpread and offsets are 0 to 60 s."
        }
        guard name.count <= Self.longestName, offsets.count <= Self.mostOffsets else {
            return "A plan has a name of \(Self.longestName) characters and \(Self.mostOffsets) offsets at most."
        }
        return ([name] + offsets.map(\.nodes)).allSatisfy(\.isPrintable)
            ? nil : "A plan's names are text without control characters."
    }

    /// For a sentence, to the microsecond.
    package static func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e3).rounded() / 1e3 }
}
