public import PhotoCapture

extension CaptureDevice {
    /// A camera without a device, for programs and tests that have none: a sensor that looks at a scene, at its own
    /// pace, with controls that land late.
    ///
    /// - Parameter seed: where it stands, and how its frames lie in time.
    public convenience init(simulated seed: UInt64) {
        self.init(SimulatedCamera(SimulatedCameraConfiguration(seed: seed)))
    }
}
