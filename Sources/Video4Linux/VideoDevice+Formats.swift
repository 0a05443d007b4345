import CVideo4Linux
package import Posix

/// A format that a device offers. C: `struct v4l2_fmtdesc`.
package struct FormatDescription: Hashable, Sendable {
    /// The code to set it by.
    package let pixelFormat: PixelFormat
    /// The driver's own words for it.
    package let description: String
    /// Whether frames come compressed, and so with varying lengths.
    package let isCompressed: Bool
}

/// The sizes that a format comes in. C: `struct v4l2_frmsizeenum`.
package enum FrameSize: Hashable, Sendable {
    case discrete(width: Int, height: Int)
    case stepwise(widths: ClosedRange<Int>, widthStep: Int, heights: ClosedRange<Int>, heightStep: Int)
}

/// The time from frame to frame as a fraction of a second. C: `struct v4l2_fract`.
package struct FrameInterval: Hashable, Sendable {
    /// Seconds, once divided by the denominator.
    package let numerator: UInt32
    /// 0 from a driver that does not know.
    package let denominator: UInt32

    package init(numerator: UInt32, denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Rounded down; 0 where the denominator is 0.
    package var nanoseconds: Int64 {
        denominator == 0 ? 0 : Int64(numerator) * 1_000_000_000 / Int64(denominator)
    }
}

/// The format that a device is set to. C: `struct v4l2_pix_format`.
package struct ActiveFormat: Hashable, Sendable {
    /// Not always the one asked for: the driver chooses.
    package var pixelFormat: PixelFormat
    /// In pixels.
    package var width: Int
    /// In pixels.
    package var height: Int
    /// From one line's first byte to the next one's; 0 for compressed formats.
    package var bytesPerLine: Int
    /// The most that a frame takes, in bytes. C: `sizeimage`.
    package var imageSize: Int
    /// Whether Y'CbCr uses all of 0...255, else 16...235. C: `quantization`, with the kernel's rule for its default.
    package var isFullRange: Bool

    package init(
        pixelFormat: PixelFormat, width: Int, height: Int, bytesPerLine: Int, imageSize: Int, isFullRange: Bool
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.bytesPerLine = bytesPerLine
        self.imageSize = imageSize
        self.isFullRange = isFullRange
    }
}

private let capture = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue

extension VideoDevice {
    /// The formats on offer, in the driver's order.
    package func formats() throws(SystemError) -> [FormatDescription] {
        try enumerate(cVIDIOC_ENUM_FMT, "VIDIOC_ENUM_FMT") { index in
            var raw = v4l2_fmtdesc()
            raw.index = index
            raw.type = capture
            return raw
        } _: { raw in
            FormatDescription(
                pixelFormat: PixelFormat(rawValue: raw.pixelformat), description: text(raw.description),
                isCompressed: raw.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0)
        }
    }

    /// The sizes of a format.
    package func frameSizes(_ pixelFormat: PixelFormat) throws(SystemError) -> [FrameSize] {
        try enumerate(cVIDIOC_ENUM_FRAMESIZES, "VIDIOC_ENUM_FRAMESIZES") { index in
            var raw = v4l2_frmsizeenum()
            raw.index = index
            raw.pixel_format = pixelFormat.rawValue
            return raw
        } _: { raw in
            if raw.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                return .discrete(width: Int(raw.discrete.width), height: Int(raw.discrete.height))
            }
            let size = raw.stepwise
            return .stepwise(
                widths: Int(size.min_width)...Int(max(size.min_width, size.max_width)), widthStep: Int(size.step_width),
                heights: Int(size.min_height)...Int(max(size.min_height, size.max_height)),
                heightStep: Int(size.step_height))
        }
    }

    /// The frame intervals of a format and size; for a stepwise range its two ends.
    package func frameIntervals(
        _ pixelFormat: PixelFormat, width: Int, height: Int
    ) throws(SystemError) -> [FrameInterval] {
        try enumerate(cVIDIOC_ENUM_FRAMEINTERVALS, "VIDIOC_ENUM_FRAMEINTERVALS") { index in
            var raw = v4l2_frmivalenum()
            raw.index = index
            raw.pixel_format = pixelFormat.rawValue
            raw.width = UInt32(width)
            raw.height = UInt32(height)
            return raw
        } _: { raw -> [FrameInterval] in
            let fractions =
                raw.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
                ? [raw.discrete] : [raw.stepwise.min, raw.stepwise.max]
            return fractions.map { FrameInterval(numerator: $0.numerator, denominator: $0.denominator) }
        }.flatMap { $0 }
    }

    /// The format that the device is set to.
    package func activeFormat() throws(SystemError) -> ActiveFormat {
        var raw = v4l2_format()
        raw.type = capture
        try call(cVIDIOC_G_FMT, &raw, "VIDIOC_G_FMT")
        return ActiveFormat(raw.fmt.pix)
    }

    /// Sets a format; the driver answers with the nearest that it has.
    package func setFormat(_ pixelFormat: PixelFormat, width: Int, height: Int) throws(SystemError) -> ActiveFormat {
        var raw = v4l2_format()
        raw.type = capture
        raw.fmt.pix.pixelformat = pixelFormat.rawValue
        raw.fmt.pix.width = UInt32(width)
        raw.fmt.pix.height = UInt32(height)
        raw.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        try call(cVIDIOC_S_FMT, &raw, "VIDIOC_S_FMT")
        return ActiveFormat(raw.fmt.pix)
    }

    /// Has a metadata node hand out UVC's payload headers. C: `V4L2_META_FMT_UVC`.
    package func setMetadataFormat() throws(SystemError) {
        var raw = v4l2_format()
        raw.type = V4L2_BUF_TYPE_META_CAPTURE.rawValue
        raw.fmt.meta.dataformat = PixelFormat.uvcHeaders.rawValue
        try call(cVIDIOC_S_FMT, &raw, "VIDIOC_S_FMT")
    }

    /// The frame interval in force; nil where the driver has no say in it.
    package func frameInterval() -> FrameInterval? {
        var raw = v4l2_streamparm()
        raw.type = capture
        guard (try? call(cVIDIOC_G_PARM, &raw, "VIDIOC_G_PARM")) != nil else { return nil }
        return FrameInterval(raw.parm.capture.timeperframe)
    }

    /// Asks for a frame interval; the driver answers with the nearest that it has.
    package func setFrameInterval(_ interval: FrameInterval) throws(SystemError) -> FrameInterval {
        var raw = v4l2_streamparm()
        raw.type = capture
        raw.parm.capture.timeperframe = v4l2_fract(numerator: interval.numerator, denominator: interval.denominator)
        try call(cVIDIOC_S_PARM, &raw, "VIDIOC_S_PARM")
        return FrameInterval(raw.parm.capture.timeperframe)
    }
}

extension FrameInterval {
    fileprivate init(_ raw: v4l2_fract) {
        self.init(numerator: raw.numerator, denominator: raw.denominator)
    }
}

extension ActiveFormat {
    fileprivate init(_ raw: v4l2_pix_format) {
        pixelFormat = PixelFormat(rawValue: raw.pixelformat)
        width = Int(raw.width)
        height = Int(raw.height)
        bytesPerLine = Int(raw.bytesperline)
        imageSize = Int(raw.sizeimage)
        isFullRange =
            raw.quantization == V4L2_QUANTIZATION_DEFAULT.rawValue
            ? raw.colorspace == V4L2_COLORSPACE_JPEG.rawValue
            : raw.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
    }

    /// The kernel's form of it.
    var raw: v4l2_format {
        var raw = v4l2_format()
        raw.type = capture
        raw.fmt.pix.pixelformat = pixelFormat.rawValue
        raw.fmt.pix.width = UInt32(width)
        raw.fmt.pix.height = UInt32(height)
        raw.fmt.pix.bytesperline = UInt32(bytesPerLine)
        raw.fmt.pix.sizeimage = UInt32(imageSize)
        raw.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        return raw
    }
}
