package import CaptureModel

/// A node as an operator sees it.
package struct NodeSummary: Codable, Sendable, Hashable {
    /// Whether the rig can count on it.
    package struct State: RawRepresentable, Hashable, Sendable, Codable {
        /// The word; one that this release does not know is shown as it came.
        package let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// It can take part in a capture.
        package static let ready = State(rawValue: "ready")
        package static let busy = State(rawValue: "busy")
        /// Connected, but its camera is not usable; see `problem`.
        package static let cameraMissing = State(rawValue: "cameraMissing")
        /// Connected, but its clock is not yet known well enough to fire.
        package static let clockUnsynchronised = State(rawValue: "clockUnsynchronised")
        /// Connected, but its spool has no room for a single photo.
        package static let spoolFull = State(rawValue: "spoolFull")
        /// It takes part in nothing new, but may deliver what it owes.
        package static let retired = State(rawValue: "retired")
        package static let unreachable = State(rawValue: "unreachable")

        /// All that this release knows.
        package static let known = [
            ready, busy, cameraMissing, clockUnsynchronised, spoolFull, retired, unreachable,
        ]
    }

    /// The node's name.
    package var name: NodeName
    /// Whether the rig can count on it now.
    package var state: State
    /// What its camera can do; nil where it has none, or was not seen.
    package var capabilities: CameraCapabilities?
    /// What it reported of its clock last.
    package var clock: ClockReport?
    /// When it was last heard from; nil where it was not since the coordinator started.
    package var lastSeen: RigTime?
    /// Why it is not ready, in one sentence; nil where it is.
    package var problem: String?
    /// The release of its program; nil where it was not seen since the coordinator started.
    package var software: String?
    /// Different for each start of its program.
    package var instance: String?
    /// The groups of the rig that it belongs to; nil where it belongs to none.
    package var groups: [String]?
    /// What its camera is set to by hand, in words; nil where it is not, or its release does not say so.
    package var setByHand: String?

    package init(
        name: NodeName, state: State, capabilities: CameraCapabilities?, clock: ClockReport?, lastSeen: RigTime?,
        problem: String?, software: String? = nil, instance: String? = nil,
        groups: [String]? = nil
    ) {
        self.name = name
        self.state = state
        self.capabilities = capabilities
        self.clock = clock
        self.lastSeen = lastSeen
        self.problem = problem
        (self.software, self.instance, self.groups) = (software, instance, groups)
    }
}
