package import CaptureModel
import Glibc
import Posix
package import Video4Linux

extension CaptureError {
    /// What a refused call means for a camera.
    init(_ error: SystemError) {
        let (code, hint): (Code, String) =
            switch error.errno {
            case ENODEV, ENXIO: (.deviceWasDisconnected, "The camera was unplugged.")
            case ENOENT: (.deviceNotConnected, "The camera is not there; plug it in.")
            // uvcvideo: the device said that it was not ready (UVC 1.5, table 4-7); others: a control that is grabbed.
            case EBUSY where error.call == "VIDIOC_S_EXT_CTRLS": (.deviceFailed, "The camera was not ready; try again.")
            // "Wrong state" of the same table, by the kernel's release. A device that is open needs no more permission.
            case EILSEQ,
                EACCES where error.call.hasSuffix("EXT_CTRLS"):
                (.deviceFailed, "The camera does not take this now; an automatic of its own may have the control.")
            case EBUSY: (.deviceInUse, "Another program is using the camera; stop that program.")
            case EACCES, EPERM: (.deviceFailed, "Permission denied; add the user to the group 'video'.")
            case ENOSPC: (.deviceFailed, "The USB bus has no bandwidth left; use another bus or a smaller format.")
            default: (.deviceFailed, "The driver refused.")
            }
        // Of a control, EILSEQ has nothing to do with characters.
        let cause = error.errno == EILSEQ ? "\(error.subject): \(error.call): wrong state" : "\(error)"
        self.init(code, "\(hint) (\(cause))")
    }

    package init(_ error: DeviceLocator.LocatorError) {
        switch error {
        case .system(let system): self.init(system)
        case .notFound, .ambiguous: self.init(.deviceNotConnected, "\(error)")
        case .notACaptureDevice: self.init(.deviceNotConnected, "\(error)")
        }
    }
}
