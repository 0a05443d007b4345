/// How well a start is known, on its own and relative to other cameras.
package struct StartUncertainty: Hashable, Sendable, Codable {
    /// On its own, in nanoseconds.
    package var nanoseconds: Int64
    /// Relative to others; nil where no lamp has shown it.
    package var relative: RelativeUncertainty?

    package init(nanoseconds: Int64, relative: RelativeUncertainty?) {
        self.nanoseconds = nanoseconds
        self.relative = relative
    }

    /// The better of the two, in nanoseconds.
    package var best: Int64 { min(nanoseconds, relative?.nanoseconds ?? .max) }

    /// Whether the numbers can be genuine.
    package var isPlausible: Bool {
        let range = 0...Int64.seconds(1_000_000)
        return range.contains(nanoseconds) && range.contains(relative?.nanoseconds ?? 0)
    }

    /// How well the spread of some starts is known, in nanoseconds: from each start on its own, or better where all of
    /// them saw one lamp.
    package static func ofSpread(_ starts: [StartUncertainty]) -> Int64 {
        let byThemselves = starts.map(\.nanoseconds).max() ?? 0
        let lit = starts.compactMap(\.relative)
        guard lit.count == starts.count, Set(lit.map(\.lamp)).count == 1 else { return 2 * byThemselves }
        return 2 * min(byThemselves, lit.map(\.nanoseconds).max() ?? 0)
    }
}
