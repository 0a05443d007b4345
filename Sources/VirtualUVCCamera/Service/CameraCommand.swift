/// What can be done to a running camera, one line each.
package enum CameraCommand: Hashable, Sendable {
    /// Leaves out the next frames, this many of them; their numbers are missing.
    case drop(Int)
    /// Silently cuts the next frames, this many of them, in half.
    case truncate(Int)
    /// Sets the error bit of the next frames, this many of them.
    case error(Int)
    /// Refuses controls, or accepts them again.
    case stallControls(Bool)
    /// Delays each answer to a control by this many milliseconds.
    case slowControls(milliseconds: Int)
    /// Silently stops sending frames, or starts again.
    case freeze(Bool)
    /// Points all cameras on this machine at a lamp in the dark that goes on or off, in no rhythm, at about this
    /// interval in milliseconds; 0 for daylight.
    case lamp(milliseconds: Int)
    /// Unplugs the camera.
    case unplug
    /// Plugs it in again, with its controls at their defaults.
    case plug

    /// Parses a line such as `drop 2`; nil if it is not a command.
    package init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        let number = words.dropFirst().first.flatMap { Int($0) }
        switch words.first {
        case "drop": self = .drop(number ?? 1)
        case "truncate": self = .truncate(number ?? 1)
        case "error": self = .error(number ?? 1)
        case "stall-controls": self = .stallControls(true)
        case "take-controls": self = .stallControls(false)
        case "slow-controls": self = .slowControls(milliseconds: max(0, number ?? 0))
        case "freeze": self = .freeze(true)
        case "thaw": self = .freeze(false)
        case "lamp": self = .lamp(milliseconds: max(0, number ?? 0))
        case "unplug": self = .unplug
        case "plug": self = .plug
        default: return nil
        }
    }

    /// All commands, for a person who typed something else.
    package static let help = """
        drop [N], truncate [N], error [N], stall-controls, take-controls, slow-controls MS, freeze, thaw, lamp MS, unplug,
        plug
        """
}
