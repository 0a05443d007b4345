/// A control of a device, with its range. C: `struct v4l2_query_ext_ctrl`.
package struct Control: Hashable, Sendable {
    /// Which control. C: `V4L2_CID_*`.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let autoWhiteBalance = ID(rawValue: userClass + 12)
        package static let doWhiteBalance = ID(rawValue: userClass + 13)
        package static let redBalance = ID(rawValue: userClass + 14)
        package static let blueBalance = ID(rawValue: userClass + 15)
        /// In lines, where ``exposureAbsolute`` is in time.
        package static let exposure = ID(rawValue: userClass + 17)
        package static let autogain = ID(rawValue: userClass + 18)
        package static let gain = ID(rawValue: userClass + 19)
        package static let whiteBalanceTemperature = ID(rawValue: userClass + 26)
        package static let exposureAuto = ID(rawValue: cameraClass + 1)
        package static let exposureAbsolute = ID(rawValue: cameraClass + 2)
        package static let exposureAutoPriority = ID(rawValue: cameraClass + 3)
        package static let focusAbsolute = ID(rawValue: cameraClass + 10)
        package static let focusAuto = ID(rawValue: cameraClass + 12)
        package static let imageStabilization = ID(rawValue: cameraClass + 22)
        package static let isoSensitivity = ID(rawValue: cameraClass + 23)
        package static let isoSensitivityAuto = ID(rawValue: cameraClass + 24)
        package static let autoFocusStart = ID(rawValue: cameraClass + 28)
        package static let autoFocusStop = ID(rawValue: cameraClass + 29)
        package static let autoFocusStatus = ID(rawValue: cameraClass + 30)
        package static let autoFocusRange = ID(rawValue: cameraClass + 31)
        package static let verticalBlanking = ID(rawValue: imageSourceClass + 1)
        package static let horizontalBlanking = ID(rawValue: imageSourceClass + 2)
        package static let analogueGain = ID(rawValue: imageSourceClass + 3)
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
        package static let disabled = Flags(rawValue: 0x1)
        package static let grabbed = Flags(rawValue: 0x2)
        package static let readOnly = Flags(rawValue: 0x4)
        /// Has no effect while another control is as it is: exposure in automatic mode, for example.
        package static let inactive = Flags(rawValue: 0x10)
        package static let writeOnly = Flags(rawValue: 0x40)
        package static let volatile = Flags(rawValue: 0x80)
        package static let hasPayload = Flags(rawValue: 0x100)
        package static let executeOnWrite = Flags(rawValue: 0x200)
    }

    /// One choice of a menu.
    package struct MenuItem: Hashable, Sendable {
        package let index: Int64
        /// What the driver calls it; for an integer menu the number.
        package let name: String
        /// The number of an integer menu's choice.
        package let value: Int64?
    }

    package let id: ID
    package let name: String
    /// Nil for compound types of later kernels.
    package let kind: Kind?
    package let minimum: Int64
    package let maximum: Int64
    package let step: UInt64
    package let defaultValue: Int64
    package let flags: Flags
    /// The choices that exist, for a menu; a menu may be sparse.
    package let menu: [MenuItem]
}

/// A control changed its value or its flags. C: `V4L2_EVENT_CTRL`.
package struct ControlEvent: Hashable, Sendable {
    package let id: Control.ID
    package let value: Int64
    package let flags: Control.Flags
}
