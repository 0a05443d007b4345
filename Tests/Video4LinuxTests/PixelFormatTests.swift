import Testing
import Video4Linux

@Suite("A pixel format")
struct PixelFormatTests {
    @Test("is read from and shown as its code", arguments: ["YUYV", "MJPG", "RG12", "Y16"])
    func code(text: String) throws {
        #expect(try #require(PixelFormat(text)).description == text)
    }

    @Test("has the kernel's number")
    func number() {
        #expect(PixelFormat.yuyv.rawValue == 0x5659_5559)
        #expect(PixelFormat("YUYV") == .yuyv)
        #expect(PixelFormat("TOOLONG") == nil && PixelFormat("") == nil)
    }

    @Test("of Bayer samples tells how they lie")
    func bayer() {
        #expect(PixelFormat("BA12")?.bayer?.pattern == .grbg)
        #expect(PixelFormat("BYR2")?.bayer?.samples == SampleLayout(bits: 16))
        #expect(PixelFormat("pgCC")?.bayer?.samples == SampleLayout(bits: 12, isPacked: true))
        #expect(PixelFormat("pgCC")?.bayer?.pattern == .grbg)
        #expect(PixelFormat("Y10P")?.deepGrey == SampleLayout(bits: 10, isPacked: true))
        #expect(PixelFormat("Y16B")?.deepGrey == nil && PixelFormat("Y8I")?.deepGrey == nil)
        #expect(PixelFormat.yuyv.bayer == nil)
    }
}

@Suite("The device locator")
struct DeviceLocatorTests {
    @Test("says what is missing, and how to name a camera")
    func missing() {
        let error = #expect(throws: DeviceLocator.LocatorError.self) { try DeviceLocator.open("/dev/video4711") }
        #expect(error == .notFound("/dev/video4711"))
        #expect(error?.description.contains("serial number") == true)
    }

    @Test("refuses what is no capture device")
    func notADevice() {
        let error = #expect(throws: DeviceLocator.LocatorError.self) { try DeviceLocator.open("/dev/null") }
        #expect(error == .notACaptureDevice("/dev/null", alternative: nil))
    }

    @Test("keeps the call and the errno of a refusal")
    func systemError() {
        let error = #expect(throws: (any Error).self) { try VideoDevice(path: "/dev/null") }
        #expect("\(String(describing: error))".contains("VIDIOC_QUERYCAP"))
    }
}
