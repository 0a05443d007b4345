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
            case EBUSY: (.deviceInUse, "Another program is using the camera; stop that program.")
            case EACCES, EPERM: (.deviceFailed, "Permission denied; add the user to the group 'video'.")
            case ENOSPC: (.deviceFailed, "The USB bus has no bandwidth left; use another bus or a smaller format.")
            default: (.deviceFailed, "The driver refused.")
            }
        self.init(code, "\(hint) (\(error))")
    }

    package init(_ error: DeviceLocator.LocatorError) {
        switch error {
        case .system(let system): self.init(system)
        case .notFound, .ambiguous: self.init(.deviceNotConnected, "\(error)")
        case .notACaptureDevice: self.init(.deviceNotConnected, "\(error)")
        }
    }
}
