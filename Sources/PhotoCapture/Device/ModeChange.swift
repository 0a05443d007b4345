/// A mode that an order brings about; a refused order leaves the mode as it was. Pure.
struct ModeChange: Sendable {
    /// A mode of a device.
    enum Mode: Hashable, Sendable {
        case exposure(ExposureMode)
        case focus(FocusMode)
        case whiteBalance(WhiteBalanceMode)
        case lensStabilization(isOn: Bool)
    }

    private let new: Mode
    private let former: Mode
    /// The automatic exposure that a custom one ends.
    private let loop: AutoExposureLoop?
    /// Whether it locks what the automatic has chosen, not what was written.
    private let locksChosen: Bool

    init(to new: Mode, of machine: DeviceMachine, locksChosen: Bool = false) {
        self.new = new
        self.locksChosen = locksChosen
        former = new.current(in: machine.properties)
        loop = machine.meter.loop
    }

    func make(_ machine: inout DeviceMachine) {
        new.set(&machine.properties)
        // The loop would overwrite what is set by hand.
        if case .exposure = new { machine.meter.loop = nil }
    }

    func undo(_ machine: inout DeviceMachine) {
        guard new.current(in: machine.properties) == new else { return }
        former.set(&machine.properties)
        // The driver's automatic may be off already.
        switch former {
        case .exposure(let mode):
            machine.meter.loop = machine.meter.loop ?? loop
            if mode == .continuousAutoExposure, !machine.metersItself {
                machine.emit(.setAutomatic(.exposure(isOn: true)))
            }
        case .focus(.continuousAutoFocus):
            machine.emit(.setAutomatic(.focus(isOn: true, machine.properties.autoFocusRangeRestriction)))
        case .whiteBalance(.continuousAutoWhiteBalance): machine.emit(.setAutomatic(.whiteBalance(isOn: true)))
        case .focus, .whiteBalance, .lensStabilization: break
        }
    }

    func finish(_ machine: inout DeviceMachine) {
        if locksChosen { machine.emit(.readAutomatics) }
        guard new.current(in: machine.properties) == new else { return }
        switch new {
        case .exposure:
            machine.properties.isAdjustingExposure = false
        case .focus(let mode):
            machine.focus = FocusWatch()
            machine.properties.isAdjustingFocus = mode == .autoFocus
        case .whiteBalance(let mode):
            if mode == .autoWhiteBalance { machine.properties.whiteBalanceMode = .locked }
            machine.properties.isAdjustingWhiteBalance = false
        case .lensStabilization:
            break
        }
    }
}

extension ModeChange.Mode {
    fileprivate func set(_ properties: inout DeviceProperties) {
        switch self {
        case .exposure(let mode): properties.exposureMode = mode
        case .focus(let mode): properties.focusMode = mode
        case .whiteBalance(let mode): properties.whiteBalanceMode = mode
        case .lensStabilization(let isOn): properties.isLensStabilizationOn = isOn
        }
    }

    /// The same mode, as it is now.
    fileprivate func current(in properties: DeviceProperties) -> Self {
        switch self {
        case .exposure: .exposure(properties.exposureMode)
        case .focus: .focus(properties.focusMode)
        case .whiteBalance: .whiteBalance(properties.whiteBalanceMode)
        case .lensStabilization: .lensStabilization(isOn: properties.isLensStabilizationOn)
        }
    }
}
