package import CaptureModel
import PhotoEncoding

/// A source of frames with controls: what the capture core needs from a driver, and no more.
///
/// Frames come to the observer on a thread of the camera's own, in order, until ``stopRunning()`` returns.
package protocol Camera: AnyObject, Sendable {
    /// What the camera is and can do in its active format.
    var capabilities: CameraCapabilities { get }

    /// The formats it can be switched to, the active one among them.
    var formats: [CameraFormat] { get }

    /// The most that a frame of the active format takes, in bytes.
    var frameByteCount: Int { get }

    /// Frames that have arrived and not yet reached the observer: what is written now comes after them.
    var waitingFrameCount: Int { get }

    /// How long it may deliver nothing before it says by itself that it has failed, in nanoseconds: frames of long exposures
    /// come seldom.
    var patience: Int64 { get }

    /// Switches to another format. Not while it runs.
    ///
    /// - Parameter frameDuration: in nanoseconds; nil for the shortest on offer.
    func setFormat(_ format: CameraFormat, frameDuration: Int64?) throws(CaptureError)

    /// Starts delivering frames, also when a camera that was lost is back.
    ///
    /// - Parameter time: the instant to begin at; nil for at once.
    func startRunning(observer: any CameraObserver, at time: MonotonicTime?) throws(CaptureError)

    /// Stops delivering frames; once it returns, the observer hears nothing more. What the controls are set to then is
    /// the camera's own affair: the next start writes them.
    func stopRunning()

    /// Writes controls now, in manual mode; they take effect some frames later.
    ///
    /// - Returns: what the driver made of them.
    @discardableResult
    func write(_ values: ControlValues) throws(CaptureError) -> ControlValues

    /// What the controls are set to; for an automatic, what it chose, where the driver reports that.
    func read() throws(CaptureError) -> ControlValues

    /// Whether the lens is still focusing; nil where the driver does not say.
    func isFocusing() throws(CaptureError) -> Bool?

    /// Whether the lens's stabiliser is on; nil where there is none.
    func isLensStabilized() throws(CaptureError) -> Bool?

    /// Hands a control to the driver's own automatic, or takes it back.
    func setAutomatic(_ automatic: CameraAutomatic) throws(CaptureError)

    /// What the driver calls the controls behind a property.
    var driverNames: [CameraProperty: String] { get }
}

extension Camera {
    package var patience: Int64 { .seconds(2) }

    package func isLensStabilized() throws(CaptureError) -> Bool? { nil }

    package var driverNames: [CameraProperty: String] { [:] }
}

/// A frame in the driver's hands.
package protocol FrameBuffer {
    /// The frame's brightness; nil where the format does not show it or the data are broken.
    func luminanceGrid() -> LuminanceGrid?

    /// Takes the picture out of the driver's buffer; worth its cost only for a frame that is wanted.
    ///
    /// - Parameter pool: where the memory for it comes from.
    func contents(_ pool: FramePool) -> any FrameContents
}
