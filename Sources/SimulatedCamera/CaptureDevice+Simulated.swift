public import PhotoCapture

extension CaptureDevice {
    /// A camera without hardware, for programs and tests that have none: a sensor that looks at a scene, at its own
    /// pace, with controls that take effect late.
    ///
    /// - Parameter seed: chooses where it stands, and how its frames lie in time.
    public convenience init(simulated seed: UInt64) {
        self.init(SimulatedCamera(SimulatedCameraConfiguration(seed: seed)))
    }
}
