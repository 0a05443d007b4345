/// Decides when to ask a lens whether it has focused; pure.
struct FocusWatch: Sendable {
    /// How long a lens that reports nothing is given, and how often one that does is asked; in nanoseconds.
    private static let (patience, interval): (Int64, Int64) = (1_000_000_000, 100_000_000)

    private var elapsed: Int64 = 0
    private var sinceAsked: Int64 = 0

    /// A frame has arrived.
    ///
    /// - Returns: whether to ask now.
    mutating func frame(_ duration: Int64, isFollowed: Bool) -> Bool {
        guard isFollowed else { return false }
        elapsed += duration
        sinceAsked += duration
        guard sinceAsked >= Self.interval else { return false }
        sinceAsked = 0
        return true
    }

    /// Whether the lens still moves.
    ///
    /// - Parameter told: what the driver says; nil where it says nothing.
    func isFocusing(_ told: Bool?, mode: FocusMode) -> Bool {
        told ?? (mode == .autoFocus && elapsed < Self.patience)
    }
}

extension DeviceMachine {
    /// Whether the lens is in an automatic's hands.
    var isFocusFollowed: Bool {
        properties.focusMode == .continuousAutoFocus
            || (properties.focusMode == .autoFocus && properties.isAdjustingFocus)
    }

    /// What the driver says about the lens; nil where it says nothing.
    mutating func focusing(_ told: Bool?) {
        guard isFocusFollowed else { return }
        let isFocusing = focus.isFocusing(told, mode: properties.focusMode)
        properties.isAdjustingFocus = isFocusing
        guard !isFocusing, properties.focusMode == .autoFocus else { return }
        properties.focusMode = .locked
        emit(.setAutomatic(.focus(isOn: false, properties.autoFocusRangeRestriction)))
        emit(.readAutomatics)
    }
}
