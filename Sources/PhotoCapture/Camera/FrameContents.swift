package import PhotoEncoding

/// The picture of a frame, out of the driver's hands; converted to what a format needs only on request.
package protocol FrameContents: Sendable {
    /// The finished picture.
    func processedImage() throws -> ProcessedImage
    /// The finished picture without loss, as deep as it is.
    func rasterImage() throws -> RasterImage
    /// The sensor's samples.
    func rawImage() throws -> BayerImage
    /// The brightness; nil where the format does not show it.
    ///
    /// - Throws: when the data are broken, which drivers do not always say.
    func luminanceGrid() throws -> LuminanceGrid?
}

extension FrameContents {
    /// The pixels of the processed picture, for contents that hold nothing deeper.
    package func rasterImage() throws -> RasterImage { try RasterImage(processedImage()) }
}
