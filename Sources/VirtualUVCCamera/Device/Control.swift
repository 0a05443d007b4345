/// A control of the camera: where UVC 1.1 puts it (A.9.4 and A.9.5), and its range.
enum Control: String, Hashable, Sendable, CaseIterable {
    case autoExposureMode, autoExposurePriority, exposureTimeAbsolute, focusAbsolute, focusAuto
    case brightness, gain, whiteBalanceTemperature, whiteBalanceTemperatureAuto

    enum Entity: Hashable {
        case camera, processing
    }

    var entity: Entity {
        switch self {
        case .autoExposureMode, .autoExposurePriority, .exposureTimeAbsolute, .focusAbsolute, .focusAuto: .camera
        case .brightness, .gain, .whiteBalanceTemperature, .whiteBalanceTemperatureAuto: .processing
        }
    }

    private struct Place {
        let selector: UInt8
        /// In bmControls of the entity's descriptor.
        let bit: Int
        let byteCount: Int
    }

    private var place: Place {
        switch self {
        case .autoExposureMode: Place(selector: 0x02, bit: 1, byteCount: 1)
        case .autoExposurePriority: Place(selector: 0x03, bit: 2, byteCount: 1)
        case .exposureTimeAbsolute: Place(selector: 0x04, bit: 3, byteCount: 4)
        case .focusAbsolute: Place(selector: 0x06, bit: 5, byteCount: 2)
        case .focusAuto: Place(selector: 0x08, bit: 17, byteCount: 1)
        case .brightness: Place(selector: 0x02, bit: 0, byteCount: 2)
        case .gain: Place(selector: 0x04, bit: 9, byteCount: 2)
        case .whiteBalanceTemperature: Place(selector: 0x0a, bit: 6, byteCount: 2)
        case .whiteBalanceTemperatureAuto: Place(selector: 0x0b, bit: 12, byteCount: 1)
        }
    }

    var selector: UInt8 { place.selector }
    var byteCount: Int { place.byteCount }

    /// The lowest and the highest value; for the modes the first and the last.
    var range: ClosedRange<Int64> {
        switch self {
        // A bitmap: 1 manual, 8 aperture priority.
        case .autoExposureMode: 1...8
        case .autoExposurePriority, .focusAuto, .whiteBalanceTemperatureAuto: 0...1
        // In 100 µs: 0.1 ms to 1 s.
        case .exposureTimeAbsolute: 1...10_000
        case .focusAbsolute: 0...250
        case .brightness: -64...64
        case .gain: 0...255
        case .whiteBalanceTemperature: 2800...6500
        }
    }

    /// GET_RES: the step, or the bitmap of the modes.
    var resolution: Int64 {
        switch self {
        case .autoExposureMode: 9
        case .focusAbsolute: 5
        case .whiteBalanceTemperature: 10
        case .autoExposurePriority, .exposureTimeAbsolute, .focusAuto, .brightness, .gain,
            .whiteBalanceTemperatureAuto:
            1
        }
    }

    var defaultValue: Int64 {
        switch self {
        case .autoExposureMode: 8
        case .exposureTimeAbsolute: 100
        case .focusAbsolute: 100
        case .whiteBalanceTemperature: 4600
        case .focusAuto, .whiteBalanceTemperatureAuto: 1
        case .autoExposurePriority, .brightness, .gain: 0
        }
    }

    /// GET_INFO: get and set, and autoupdate for what the device itself changes: without that the driver never reads it
    /// again.
    var info: UInt8 {
        switch self {
        case .brightness, .gain, .autoExposurePriority: 0x03
        case .autoExposureMode, .exposureTimeAbsolute, .focusAbsolute, .focusAuto, .whiteBalanceTemperature,
            .whiteBalanceTemperatureAuto:
            0x0b
        }
    }

    /// Whether SET_CUR accepts this value.
    func accepts(_ value: Int64) -> Bool {
        self == .autoExposureMode ? value == 1 || value == 8 : range.contains(value)
    }

    static func bits(of entity: Entity) -> UInt32 {
        allCases.filter { $0.entity == entity }.reduce(0) { $0 | 1 << UInt32($1.place.bit) }
    }

    static func find(unit: UInt8, selector: UInt8) -> Control? {
        allCases.first { control in
            let id = control.entity == .camera ? Descriptors.cameraTerminal : Descriptors.processingUnit
            return id == unit && control.selector == selector
        }
    }

    /// Two's complement, little-endian.
    func bytes(_ value: Int64) -> [UInt8] { .littleEndian(value, count: byteCount) }

    func value(_ bytes: [UInt8]) -> Int64 {
        let raw = bytes.prefix(byteCount).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let isNegative = range.lowerBound < 0 && raw >= 1 << (8 * Int64(byteCount) - 1)
        return isNegative ? raw - 1 << (8 * Int64(byteCount)) : raw
    }
}
