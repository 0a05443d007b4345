extension Plan {
    /// The longest of its times, in nanoseconds.
    private static let longest = Int64.seconds(60)
    /// The most characters in a name, and the most entries in a list of a plan.
    private static let longestName = 200
    /// The most nodes, groups or offsets that a list has.
    package static let longestList = 1000

    /// What rules the plan out on any rig, whoever sends it; nil for one that can be considered.
    package var problem: String? {
        let offsets = offsets ?? []
        let times = [lead, maxSpread].compactMap { $0 } + offsets.map(\.nanoseconds)
        guard times.allSatisfy({ (0...Self.longest).contains($0) }) else {
            return "lead, maxSpread and offsets must be 0 to 60 s."
        }
        let exposures =
            bracket.steps.compactMap(\.exposureDuration.value) + (settings ?? []).compactMap(\.camera.exposureDuration)
        guard exposures.allSatisfy({ $0 <= .longest }) else {
            return "An exposure is an hour at most."
        }
        if let armedFor, !Self.armedTimes.contains(armedFor) { return "armedFor must be 1 s to 24 h." }
        let names = [name] + (groups ?? [])
        guard names.allSatisfy({ $0.count <= Self.longestName }),
            [offsets.count, nodes?.count ?? 0, groups?.count ?? 0, settings?.count ?? 0].allSatisfy({
                $0 <= Self.longestList
            })
        else {
            return "A plan has at most \(Self.longestName) characters in a name, and at most \(Self.longestList) "
                + "offsets, nodes and groups."
        }
        guard !choosesNodes || !(nodes ?? []).isEmpty || !(groups ?? []).isEmpty else {
            return "The plan chooses no node: its nodes and groups are empty; leave them out for the whole rig."
        }
        if let problem = (settings ?? []).lazy.compactMap({ $0.problem(in: self) }).first { return problem }
        return names.allSatisfy(\.isPrintable) ? nil : "The names in a plan must not contain control characters."
    }

    /// A time for use in a sentence, to the microsecond.
    package static func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e3).rounded() / 1e3 }
}
