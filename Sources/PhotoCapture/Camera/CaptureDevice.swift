package import CaptureModel

/// A camera as its user sees it. Apple: `AVCaptureDevice`.
package struct CaptureDevice: Sendable {
    package let camera: any Camera

    package init(_ camera: any Camera) {
        self.camera = camera
    }

    /// The camera's name in a configuration; stable as long as the name is.
    package var uniqueID: String { camera.capabilities.cameraID }

    package var modelID: String { camera.capabilities.modelID }

    /// The format in use; the ranges of exposure and ISO belong to it.
    package var activeFormat: CameraCapabilities { camera.capabilities }
}

/// Connects a device with an output, and starts and stops the flow. Apple: `AVCaptureSession`.
package final class CaptureSession: Sendable {
    package let device: CaptureDevice
    package let photoOutput: PhotoOutput

    package init(device: CaptureDevice, photoOutput: PhotoOutput) {
        self.device = device
        self.photoOutput = photoOutput
    }

    /// Starts the flow of frames.
    package func startRunning() throws(CaptureError) {
        try device.camera.startRunning(observer: photoOutput)
        photoOutput.sessionDidStart()
    }

    /// Stops it; captures that are under way end with errors.
    package func stopRunning() {
        device.camera.stopRunning()
        photoOutput.sessionDidStop()
    }
}
