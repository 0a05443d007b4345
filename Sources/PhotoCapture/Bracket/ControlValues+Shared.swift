package import CaptureModel

extension ControlValues {
    /// What a request is to use instead of what the camera has settled on.
    package init(exposure: Exposure?, whiteBalance: WhiteBalance?) {
        self.init(exposure ?? Exposure())
        self.whiteBalance = whiteBalance
    }
}
