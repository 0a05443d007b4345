import CaptureModel

/// The camera's descriptors: USB 2.0 chapter 9, USB Device Class Definition for Video Devices 1.1 (UVC).
struct Descriptors: Sendable {
    static let controlInterface: UInt8 = 0
    static let streamingInterface: UInt8 = 1
    static let cameraTerminal: UInt8 = 1
    static let processingUnit: UInt8 = 2
    private static let outputTerminal: UInt8 = 3
    static let bulkEndpoint: UInt32 = 1
    static let statusEndpoint: UInt32 = 2

    private let camera: VirtualCameraConfiguration

    init(_ camera: VirtualCameraConfiguration) {
        self.camera = camera
    }

    /// The answer to GET_DESCRIPTOR; nil if there is no such descriptor.
    func descriptor(type: UInt8, index: UInt8) -> [UInt8]? {
        switch (type, index) {
        case (1, 0): device
        case (2, 0): configuration
        case (3, 0): [4, 3, 0x09, 0x04]
        case (3, 1): Self.string("Volley")
        case (3, 2): Self.string(camera.product)
        case (3, 3): Self.string(camera.serial)
        default: nil
        }
    }

    private static func string(_ text: String) -> [UInt8] {
        let units = text.utf16.prefix(126).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return [UInt8(units.count + 2), 3] + units
    }

    /// Class EF/02/01: interfaces are grouped by an association descriptor. 1d6b is the Linux Foundation's.
    private let device: [UInt8] = [
        18, 1, 0x00, 0x02, 0xEF, 0x02, 0x01, 64, 0x6b, 0x1d, 0x04, 0x01, 0x00, 0x01, 1, 2, 3, 1,
    ]

    private var configuration: [UInt8] {
        let association: [UInt8] = [8, 0x0b, 0, 2, 0x0e, 3, 0, 0]
        let body = association + control + streaming
        return [9, 2] + .littleEndian(Int64(body.count + 9), count: 2) + [2, 1, 0, 0x80, 250] + body
    }

    private var control: [UInt8] {
        let (cameraBits, processingBits) = (Control.bits(of: .camera), Control.bits(of: .processing))
        // Input terminal of type 0201, a camera, without lens data.
        let input: [UInt8] =
            [18, 0x24, 2, Self.cameraTerminal, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 3]
            + .littleEndian(Int64(cameraBits), count: 3)
        let unit: [UInt8] =
            [12, 0x24, 5, Self.processingUnit, Self.cameraTerminal, 0, 0, 2]
            + .littleEndian(Int64(processingBits), count: 2) + [0, 0]
        // Output terminal of type 0101, USB streaming.
        let output: [UInt8] = [9, 0x24, 3, Self.outputTerminal, 0x01, 0x01, 0, Self.processingUnit, 0]
        let total = Int64(13 + input.count + unit.count + output.count)
        // UVC 1.10, a clock of 1 MHz that nobody reads, one streaming interface.
        let header: [UInt8] =
            [13, 0x24, 1, 0x10, 0x01] + .littleEndian(total, count: 2) + .littleEndian(1_000_000, count: 4)
            + [1, Self.streamingInterface]
        // The driver uses the status endpoint only if it is the interface's only one and has an interval.
        let endpoint: [UInt8] = [7, 5, 0x80 | UInt8(Self.statusEndpoint), 3, 16, 0, 8, 5, 0x25, 3, 16, 0]
        return [9, 4, Self.controlInterface, 0, 1, 0x0e, 1, 0, 0] + header + input + unit + output + endpoint
    }

    private var streaming: [UInt8] {
        // YUY2 as {32595559-0000-0010-8000-00aa00389b71}, 16 bits per pixel.
        let guid: [UInt8] = [0x59, 0x55, 0x59, 0x32, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
        let count = UInt8(camera.sizes.count)
        let yuyv: [UInt8] = [27, 0x24, 4, VideoMode.Format.yuyv.rawValue, count] + guid + [16, 1, 0, 0, 0, 0]
        let mjpeg: [UInt8] = [11, 0x24, 6, VideoMode.Format.mjpeg.rawValue, count, 1, 1, 0, 0, 0, 0]
        // Primaries and curve of BT.709, matrix of BT.601.
        let colour: [UInt8] = [6, 0x24, 13, 1, 1, 4]
        let formats = yuyv + frames(type: 5) + colour + mjpeg + frames(type: 7) + colour
        // Two formats, one byte of controls for each.
        let header: [UInt8] =
            [15, 0x24, 1, 2] + .littleEndian(Int64(formats.count + 15), count: 2)
            + [0x80 | UInt8(Self.bulkEndpoint), 0, Self.outputTerminal, 0, 0, 0, 1, 0, 0]
        // The driver recognises a bulk stream by its single alternate setting.
        let endpoint: [UInt8] = [7, 5, 0x80 | UInt8(Self.bulkEndpoint), 2, 0x00, 0x02, 0]
        return [9, 4, Self.streamingInterface, 0, 1, 0x0e, 2, 0, 0] + header + formats + endpoint
    }

    private func frames(type: UInt8) -> [UInt8] {
        camera.sizes.enumerated().flatMap { index, size -> [UInt8] in
            let bytes = Int64(size.width * size.height * 2)
            let fastest = Int64(VideoMode.intervals[0])
            let head: [UInt8] =
                [UInt8(26 + 4 * VideoMode.intervals.count), 0x24, type, UInt8(index + 1), 0]
                + .littleEndian(Int64(size.width), count: 2) + .littleEndian(Int64(size.height), count: 2)
            let rates: [UInt8] = .littleEndian(bytes * 8 * 5, count: 4) + .littleEndian(bytes * 8 * 30, count: 4)
            return head + rates + .littleEndian(bytes, count: 4) + .littleEndian(fastest, count: 4)
                + [UInt8(VideoMode.intervals.count)]
                + VideoMode.intervals.flatMap { [UInt8].littleEndian(Int64($0), count: 4) }
        }
    }
}
