/// A control of a device, with its range. C: `struct v4l2_query_ext_ctrl`.
package struct Control: Hashable, Sendable {
    /// Which control. C: `V4L2_CID_*`.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Continuous white balance, on or off. C: `V4L2_CID_AUTO_WHITE_BALANCE`.
        package static let autoWhiteBalance = ID(rawValue: userClass + 12)
        /// A button that balances once. C: `V4L2_CID_DO_WHITE_BALANCE`.
        package static let doWhiteBalance = ID(rawValue: userClass + 13)
        /// The gain of red, in the driver's unit. C: `V4L2_CID_RED_BALANCE`.
        package static let redBalance = ID(rawValue: userClass + 14)
        /// The gain of blue, in the driver's unit. C: `V4L2_CID_BLUE_BALANCE`.
        package static let blueBalance = ID(rawValue: userClass + 15)
        /// In lines, where ``exposureAbsolute`` is in time.
        package static let exposure = ID(rawValue: userClass + 17)
        /// Automatic gain, on or off. C: `V4L2_CID_AUTOGAIN`.
        package static let autogain = ID(rawValue: userClass + 18)
        /// In the driver's unit. C: `V4L2_CID_GAIN`.
        package static let gain = ID(rawValue: userClass + 19)
        /// In kelvin. C: `V4L2_CID_WHITE_BALANCE_TEMPERATURE`.
        package static let whiteBalanceTemperature = ID(rawValue: userClass + 26)
        /// A menu of who chooses exposure time and aperture. C: `V4L2_CID_EXPOSURE_AUTO`.
        package static let exposureAuto = ID(rawValue: cameraClass + 1)
        /// In units of 100 µs. C: `V4L2_CID_EXPOSURE_ABSOLUTE`.
        package static let exposureAbsolute = ID(rawValue: cameraClass + 2)
        /// Whether an exposure may lengthen the frame. C: `V4L2_CID_EXPOSURE_AUTO_PRIORITY`.
        package static let exposureAutoPriority = ID(rawValue: cameraClass + 3)
        /// The lens position in the driver's unit, larger for nearer. C: `V4L2_CID_FOCUS_ABSOLUTE`.
        package static let focusAbsolute = ID(rawValue: cameraClass + 10)
        /// Continuous autofocus, on or off. C: `V4L2_CID_FOCUS_AUTO`.
        package static let focusAuto = ID(rawValue: cameraClass + 12)
        /// On or off. C: `V4L2_CID_IMAGE_STABILIZATION`.
        package static let imageStabilization = ID(rawValue: cameraClass + 22)
        /// An integer menu, in thousandths of an ISO. C: `V4L2_CID_ISO_SENSITIVITY`.
        package static let isoSensitivity = ID(rawValue: cameraClass + 23)
        /// A menu of who chooses the ISO. C: `V4L2_CID_ISO_SENSITIVITY_AUTO`.
        package static let isoSensitivityAuto = ID(rawValue: cameraClass + 24)
        /// A button that focuses once. C: `V4L2_CID_AUTO_FOCUS_START`.
        package static let autoFocusStart = ID(rawValue: cameraClass + 28)
        /// A button that ends focusing. C: `V4L2_CID_AUTO_FOCUS_STOP`.
        package static let autoFocusStop = ID(rawValue: cameraClass + 29)
        /// A read-only bit mask: busy, reached or failed. C: `V4L2_CID_AUTO_FOCUS_STATUS`.
        package static let autoFocusStatus = ID(rawValue: cameraClass + 30)
        /// A menu of the distances that the autofocus searches. C: `V4L2_CID_AUTO_FOCUS_RANGE`.
        package static let autoFocusRange = ID(rawValue: cameraClass + 31)
        /// In lines beyond the picture's; sets how long a frame lasts. C: `V4L2_CID_VBLANK`.
        package static let verticalBlanking = ID(rawValue: imageSourceClass + 1)
        /// In pixels beyond the picture's. C: `V4L2_CID_HBLANK`.
        package static let horizontalBlanking = ID(rawValue: imageSourceClass + 2)
        /// The sensor's own gain, in its own unit. C: `V4L2_CID_ANALOGUE_GAIN`.
        package static let analogueGain = ID(rawValue: imageSourceClass + 3)
        /// In pixels a second; read-only. C: `V4L2_CID_PIXEL_RATE`.
        package static let pixelRate = ID(rawValue: imageProcessingClass + 2)

        // linux/v4l2-controls.h: V4L2_CID_BASE, V4L2_CID_CAMERA_CLASS_BASE, V4L2_CID_IMAGE_SOURCE_CLASS_BASE; macros
        // of macros, which Swift does not import.
        private static let userClass: UInt32 = 0x0098_0900
        private static let cameraClass: UInt32 = 0x009a_0900
        private static let imageSourceClass: UInt32 = 0x009e_0900
        private static let imageProcessingClass: UInt32 = 0x009f_0900
    }

    /// The type of its value. C: `enum v4l2_ctrl_type`.
    package enum Kind: UInt32, Sendable, Hashable {
        case integer = 1, boolean, menu, button, integer64, controlClass, string, bitmask, integerMenu
    }

    /// What restricts its use. C: `V4L2_CTRL_FLAG_*`.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Out of use for good; applications leave it alone.
        package static let disabled = Flags(rawValue: 0x1)
        /// Cannot be changed for now, for example because another program uses what it belongs to.
        package static let grabbed = Flags(rawValue: 0x2)
        /// Can never be set.
        package static let readOnly = Flags(rawValue: 0x4)
        /// Has no effect while another control is as it is: exposure in automatic mode, for example.
        package static let inactive = Flags(rawValue: 0x10)
        /// Can be set, but not read.
        package static let writeOnly = Flags(rawValue: 0x40)
        /// Changes by itself, so the driver is asked for its value each time.
        package static let volatile = Flags(rawValue: 0x80)
        /// Its value is passed by pointer.
        package static let hasPayload = Flags(rawValue: 0x100)
        /// Every write acts, even one that does not change the value.
        package static let executeOnWrite = Flags(rawValue: 0x200)
    }

    /// One choice of a menu.
    package struct MenuItem: Hashable, Sendable {
        /// The value that chooses it.
        package let index: Int64
        /// What the driver calls it; for an integer menu the number.
        package let name: String
        /// The number of an integer menu's choice.
        package let value: Int64?
    }

    /// Which control it is.
    package let id: ID
    /// What the driver calls it.
    package let name: String
    /// How `v4l2-ctl` spells it, which scripts use: `power_line_frequency`.
    package var identifier: String {
        name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "_")
    }
    /// Nil for compound types of later kernels.
    package let kind: Kind?
    /// The least value, or the first index of a menu.
    package let minimum: Int64
    /// The greatest value, or the last index of a menu.
    package let maximum: Int64
    /// From one value to the next; drivers round to it.
    package let step: UInt64
    /// The driver's own choice at its start.
    package let defaultValue: Int64
    /// What restricts its use now.
    package let flags: Flags
    /// The choices that exist, for a menu; a menu may be sparse.
    package let menu: [MenuItem]
}

/// A control changed its value or its flags. C: `V4L2_EVENT_CTRL`.
package struct ControlEvent: Hashable, Sendable {
    /// The control that changed.
    package let id: Control.ID
    /// Its new value.
    package let value: Int64
    /// Its new flags.
    package let flags: Control.Flags
}
