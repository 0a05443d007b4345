/// What can be done to a running camera, one line each.
package enum CameraCommand: Hashable, Sendable {
    /// The next frames, this many of them, are not sent; their numbers are missing.
    case drop(Int)
    /// The next frames, this many of them, are cut in half, without a word of it.
    case truncate(Int)
    /// The next frames, this many of them, carry the error bit.
    case error(Int)
    /// Controls are refused, or taken again.
    case stallControls(Bool)
    /// The delay of each answer to a control, in milliseconds.
    case slowControls(milliseconds: Int)
    /// Frames end without a word, or come again.
    case freeze(Bool)
    /// All cameras of this machine look at a lamp in the dark that goes on or off, in no rhythm, at about this interval in
    /// milliseconds; 0 for the light of day.
    case lamp(milliseconds: Int)
    case unplug
    case plug

    /// Reads a line such as `drop 2`.
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

    /// For a person who typed something else.
    package static let help = """
        drop [N], truncate [N], error [N], stall-controls, take-controls, slow-controls MS, freeze, thaw, lamp MS, unplug,
        plug
        """
}
