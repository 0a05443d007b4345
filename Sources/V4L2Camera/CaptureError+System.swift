package import CaptureModel
import Glibc
import Posix
package import Video4Linux

extension CaptureError {
    /// What a refused call means for a camera.
    init(_ error: SystemError) {
        let isWrite = error.call == "VIDIOC_S_EXT_CTRLS"
        // "Wrong state", of UVC 1.5's table 4-7 as well: the one or the other, by the kernel's release.
        let isWrongState = isWrite && [EILSEQ, EACCES].contains(error.errno)
        let (code, hint): (Code, String) =
            switch error.errno {
            case ENODEV, ENXIO: (.deviceWasDisconnected, "The camera was unplugged.")
            case ENOENT: (.deviceNotConnected, "The camera is not there; plug it in.")
            // uvcvideo: the device said that it was not ready (UVC 1.5, table 4-7); others: a control that is grabbed.
            case EBUSY where isWrite: (.deviceFailed, "The camera was not ready; try again.")
            case _ where isWrongState:
                (.deviceFailed, "The camera does not take this now; an automatic of its own may have the control.")
            case EBUSY: (.deviceInUse, "Another program is using the camera; stop that program.")
            case EACCES, EPERM: (.deviceFailed, "Permission denied; add the user to the group 'video'.")
            case ENOSPC: (.deviceFailed, "The USB bus has no bandwidth left; use another bus or a smaller format.")
            default: (.deviceFailed, "The driver refused.")
            }
        // In errno's own words it is about characters, or a missing permission.
        let cause = isWrongState ? "\(error.subject): \(error.call): wrong state" : "\(error)"
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
