/// What became of the probes in the window.
package struct ProbeStatistics: Sendable, Codable, Hashable {
    /// How many answered probes the window holds.
    package var count = 0
    /// The shortest round trip, in nanoseconds: half of it is the least that the bound can be.
    package var shortest: Int64 = 0
    /// The median round trip, in nanoseconds.
    package var median: Int64 = 0
    /// The longest round trip, in nanoseconds.
    package var longest: Int64 = 0
    /// The longest that an answer was on its way from the coordinator, in nanoseconds, by what is known of rig time; nil
    /// where nothing is, or where a former release counts.
    package var longestAnswer: Int64?
    /// How often the estimate had to start over.
    package var restarts = 0

    package init() {}
}
