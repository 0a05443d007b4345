/// The camera that took a node's part in a capture.
package struct CameraUsed: Codable, Sendable, Hashable {
    /// The camera's name in its node's configuration.
    package var cameraID: String
    /// What cameras of its model are called.
    package var modelID: String
    /// Nil where the device has none.
    package var serialNumber: String?
    /// The format's four-character code.
    package var pixelFormat: String
    /// Of that format, in pixels.
    package var dimensions: Dimensions
    /// The release of the node's program; nil where it did not say.
    package var software: String?

    package init(
        cameraID: String, modelID: String, serialNumber: String?, pixelFormat: String, dimensions: Dimensions,
        software: String?
    ) {
        self.cameraID = cameraID
        self.modelID = modelID
        self.serialNumber = serialNumber
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.software = software
    }

    /// The camera that a node has now.
    package init(_ camera: CameraCapabilities, software: String?) {
        self.init(
            cameraID: camera.cameraID, modelID: camera.modelID, serialNumber: camera.serialNumber,
            pixelFormat: camera.pixelFormat, dimensions: camera.dimensions, software: software)
    }
}
