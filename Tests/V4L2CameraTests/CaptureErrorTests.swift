import CaptureModel
import Glibc
import Posix
import Testing

@testable import V4L2Camera

@Suite("A call that the driver refuses")
struct CaptureErrorTests {
    @Test(
        "says what to do about it, with the call",
        arguments: [
            (ENOSPC, CaptureError.Code.deviceFailed, "another bus or a smaller format"),
            (EBUSY, .deviceInUse, "Another program is using the camera"), (ENODEV, .deviceWasDisconnected, "unplugged"),
            (EACCES, .deviceFailed, "group 'video'"),
        ])
    func words(errno: CInt, code: CaptureError.Code, words: String) {
        let error = CaptureError(SystemError(call: "VIDIOC_STREAMON", errno: errno, subject: "/dev/video7"))
        #expect(error.code == code)
        for part in [words, "VIDIOC_STREAMON", "/dev/video7"] { #expect(error.message.contains(part)) }
    }

    @Test("as a control does that is not ready, is not blamed on another program")
    func notReady() {
        let error = CaptureError(SystemError(call: "VIDIOC_S_EXT_CTRLS", errno: EBUSY, subject: "/dev/video7: Gain"))
        #expect(error.code == .deviceFailed && error.message.contains("not ready"))
    }

    @Test("as a control does in the wrong state, is no permission and no character", arguments: [EILSEQ, EACCES])
    func wrongState(errno: CInt) {
        let error = CaptureError(SystemError(call: "VIDIOC_S_EXT_CTRLS", errno: errno, subject: "/dev/video7: Gain"))
        #expect(error.code == .deviceFailed && error.message.contains("does not take this now"))
        #expect(!error.message.contains("group") && !error.message.contains("multibyte"))
    }
}
