extension Plan {
    /// The longest of its times, in nanoseconds.
    private static let longest = Int64.seconds(60)
    /// The most characters in a plan's name, and the most offsets in a plan.
    private static let (longestName, mostOffsets) = (200, 1000)

    /// What rules the plan out on any rig, whoever sends it; nil for one that can be considered.
    package var problem: String? {
        let offsets = offsets ?? []
        let times = [lead, maxSpread].compactMap { $0 } + offsets.map(\.nanoseconds)
        guard times.allSatisfy({ (0...Self.longest).contains($0) }) else {
            return "lead, maxSpread and offsets must be 0 to 60 s."
        }
        guard name.count <= Self.longestName, offsets.count <= Self.mostOffsets else {
            return "A plan has at most \(Self.longestName) characters in its name and \(Self.mostOffsets) offsets."
        }
        return ([name] + offsets.map(\.nodes)).allSatisfy(\.isPrintable)
            ? nil : "The names in a plan must not contain control characters."
    }

    /// A time for use in a sentence, to the microsecond.
    package static func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e3).rounded() / 1e3 }
}
