import CaptureModel
import PhotoCapture
import PhotoEncoding
import Testing
import V4L2Camera
import Video4Linux

private func frame(_ code: PixelFormat, _ width: Int, _ height: Int, stride: Int, _ bytes: [UInt8]) -> V4L2Frame {
    let format = ActiveFormat(
        pixelFormat: code, width: width, height: height, bytesPerLine: stride, imageSize: bytes.count,
        isFullRange: true)
    return V4L2Frame(bytes: FrameBytes(bytes), format: format, device: nil)
}

private func planes(_ frame: V4L2Frame) throws -> [[UInt8]] {
    guard case .yuv(let image) = try frame.processedImage() else { return [] }
    return image.planes
}

@Suite("A frame of a driver")
struct V4L2FrameTests {
    @Test("in YUYV becomes planes, without the padding of its rows")
    func yuyv() throws {
        let frame = frame(.yuyv, 2, 2, stride: 6, [1, 10, 2, 20, 0, 0, 3, 30, 4, 40, 0, 0])
        #expect(try planes(frame) == [[1, 2, 3, 4], [10, 30], [20, 40]])
    }

    @Test("in UYVY becomes planes")
    func uyvy() throws {
        #expect(try planes(frame(.uyvy, 2, 1, stride: 4, [10, 1, 20, 2])) == [[1, 2], [10], [20]])
    }

    @Test("in planar 4:2:0 stays as it is")
    func yuv420() throws {
        #expect(try planes(frame(.yuv420, 2, 2, stride: 2, [1, 2, 3, 4, 5, 6])) == [[1, 2, 3, 4], [5], [6]])
    }

    @Test("in NV12 has its colours parted")
    func nv12() throws {
        #expect(try planes(frame(.nv12, 2, 2, stride: 2, [1, 2, 3, 4, 5, 6])) == [[1, 2, 3, 4], [5], [6]])
    }

    @Test("of a video range is brought to the full range")
    func range() throws {
        let format = ActiveFormat(
            pixelFormat: .grey, width: 3, height: 1, bytesPerLine: 3, imageSize: 3, isFullRange: false)
        let frame = V4L2Frame(bytes: FrameBytes([16, 126, 235]), format: format, device: nil)
        #expect(try planes(frame) == [[0, 128, 255]])
    }

    @Test("that goes beyond its video range is black or clipped there")
    func beyondItsRange() throws {
        let (width, height) = (LuminanceGrid.columns, LuminanceGrid.rows)
        let format = ActiveFormat(
            pixelFormat: .yuyv, width: width, height: height, bytesPerLine: 2 * width, imageSize: 2 * width * height,
            isFullRange: false)
        let bytes = (0..<width * height).flatMap { place -> [UInt8] in [place % 2 == 0 ? 0 : 255, 128] }
        let frame = V4L2Frame(bytes: FrameBytes(bytes), format: format, device: nil)
        let grid = try #require(try frame.luminanceGrid())
        #expect(Set(grid.samples) == [0, 1])
    }

    @Test(
        "in deep luma has its upper bits in the picture, and all of them in its brightness",
        arguments: [10, 12, 14, 16])
    func deepGrey(bits: Int) throws {
        let code = try #require(PixelFormat("Y\(bits)"))
        let white = UInt16((1 << bits) - 1)
        let words = [0, 1, white >> 1, white]
        let bytes = words.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(try planes(frame(code, 4, 1, stride: 8, bytes)) == [[0, 0, 127, 255]])
        let (width, height) = (LuminanceGrid.columns, LuminanceGrid.rows)
        let flat = (0..<width * height).flatMap { _ in [UInt8(white >> 1 & 0xff), UInt8(white >> 9)] }
        let grid = try #require(try frame(code, width, height, stride: 2 * width, flat).luminanceGrid())
        #expect(grid.samples.allSatisfy { abs($0 - Float(white >> 1) / Float(white)) < 1e-6 })
        let raster = try frame(code, 4, 1, stride: 8, bytes).rasterImage()
        guard case .luma16(let deep) = raster.samples else {
            Issue.record("it is \(raster)")
            return
        }
        #expect(deep.first == 0 && deep.last == 65535 && (32735...32768).contains(deep[2]))
        #expect(Int(deep[1]) == (65535 + Int(white) / 2) / Int(white))
        #expect(throws: CaptureError.self) { try planes(frame(code, 4, 4, stride: 8, [1, 2, 3])) }
    }

    @Test("in 12-bit Bayer gives its samples")
    func bayer() throws {
        let code = try #require(PixelFormat("BA12"))
        let raw = try frame(code, 2, 1, stride: 4, [0x34, 0x02, 0xFF, 0x0F]).rawImage()
        #expect(raw.samples == [0x234, 0xFFF])
        #expect(raw.pattern == .grbg && raw.whiteLevel == 4095)
    }

    /// linux/Documentation/userspace-api/media/v4l/pixfmt-srggb10p.rst, -srggb12p.rst and -srggb14p.rst.
    @Test(
        "in packed Bayer gives its samples as the kernel's tables have them",
        arguments: [
            ("pRAA", [0x2B1, 0x0FE, 0x3FF, 0x003], [0xAC, 0x3F, 0xFF, 0x00, 0b1111_1001]),
            ("pRCC", [0xABC, 0x123, 0x000, 0xFFF], [0xAB, 0x12, 0x3C, 0x00, 0xFF, 0xF0]),
            (
                "pREE", [0x2AB1, 0x0FE7, 0x3FFF, 0x0003],
                [0xAA, 0x3F, 0xFF, 0x00, 0b1111_0001, 0b1111_1001, 0b0000_1111]
            ),
        ] as [(String, [UInt16], [UInt8])])
    func packedBayer(code: String, samples: [UInt16], bytes: [UInt8]) throws {
        let frame = frame(try #require(PixelFormat(code)), 4, 1, stride: bytes.count, bytes)
        #expect(try frame.rawImage().samples == samples)
    }

    @Test("in packed Bayer of 10 bits has the upper eight of libv4lconvert, which unpacks them by itself")
    func packedJudge() throws {
        let (width, height) = (64, 32)
        let bytes = (0..<width * height * 5 / 4).map { UInt8(truncatingIfNeeded: $0 * 167 + $0 / 80 * 31) }
        let packed = frame(try #require(PixelFormat("pRAA")), width, height, stride: width * 5 / 4, bytes)
        let eight = try packed.rawImage().samples.map { UInt8($0 >> 2) }
        let plain = frame(try #require(PixelFormat("RGGB")), width, height, stride: width, eight)
        let converter = try FormatConverter(device: nil)
        let theirs = try bytes.withUnsafeBytes { try converter.yuv420(from: $0, format: packed.format) }
        let ours = try eight.withUnsafeBytes { try converter.yuv420(from: $0, format: plain.format) }
        // Pictures are too long to be printed.
        let isEqual = theirs == ours
        #expect(isEqual)
    }

    @Test("in packed luma has its upper bits in the picture, and all of them in its brightness")
    func packedGrey() throws {
        let code = try #require(PixelFormat("Y10P"))
        #expect(try planes(frame(code, 4, 1, stride: 5, [0, 1, 127, 255, 0b1101_0000])) == [[0, 1, 127, 255]])
        let (width, height) = (LuminanceGrid.columns, LuminanceGrid.rows)
        let flat = (0..<width * height / 4).flatMap { _ -> [UInt8] in [127, 127, 127, 127, 0xFF] }
        let grid = try #require(try frame(code, width, height, stride: width * 5 / 4, flat).luminanceGrid())
        #expect(grid.samples.allSatisfy { abs($0 - 511 / 1023) < 1e-6 })
    }

    @Test("that is cut short is an error")
    func short() {
        #expect(throws: CaptureError.self) { try planes(frame(.yuyv, 4, 4, stride: 8, [1, 2, 3])) }
    }

    @Test("without Bayer samples has no RAW")
    func noRaw() {
        #expect(throws: CaptureError.self) { try frame(.yuyv, 2, 1, stride: 4, [1, 2, 3, 4]).rawImage() }
    }
}

@Suite("A camera")
struct V4L2CameraTests {
    @Test("that is not there is refused with what to do")
    func missing() {
        let error = #expect(throws: CaptureError.self) {
            try V4L2Camera(V4L2CameraConfiguration(device: "/dev/video4711"))
        }
        #expect(error?.code == .deviceNotConnected)
    }

    @Test("that is no capture device is refused")
    func notACamera() {
        let error = #expect(throws: CaptureError.self) { try V4L2Camera(V4L2CameraConfiguration(device: "/dev/null")) }
        #expect(error?.message.contains("not a capture device") == true)
    }
}
