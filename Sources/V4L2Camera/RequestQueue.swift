import CaptureModel
import PhotoCapture
import Posix
import Video4Linux

/// Gives each frame its own exposure, where the driver has the Media Request API.
///
/// A buffer is queued with the values for its frame, behind all the others: what is written after frame s is always in
/// force on frame s + the number of buffers, and the completed request tells what the frame had, except for volatile
/// controls.
struct RequestQueue: Sendable {
    /// Each one is a frame of delay, and a frame of patience with a busy machine.
    static let bufferCount = 6
    static let delays = ControlDelays(bufferCount)

    private let controls: ControlMap
    private let requests: [MediaRequest]

    /// Nil where the driver has no requests, or nothing that they could carry.
    init?(_ device: VideoDevice, _ controls: ControlMap, bufferCount: Int) {
        guard controls.hasExposureControls, let media = MediaDevice.controller(of: device) else { return nil }
        var requests: [MediaRequest] = []
        for _ in 0..<bufferCount {
            guard let request = try? media.allocateRequest() else { return nil }
            requests.append(request)
        }
        self.controls = controls
        self.requests = requests
    }

    /// Begins streaming with the exposure as it is.
    func streamOn(_ buffers: borrowing BufferQueue) throws(SystemError) {
        try controls.takeExposure()
        let now = try controls.read()
        for request in requests { try controls.put(now, into: request) }
        try buffers.streamOn(requests)
    }

    /// What a dequeued buffer's frame was exposed with; nil where the driver does not say.
    func exposure(ofBuffer index: Int) throws(SystemError) -> Exposure? {
        controls.requestsTellExposure ? try controls.exposure(of: requests[index]) : nil
    }

    /// Queues a buffer again, with values for its frame.
    func queue(_ index: Int, _ values: ControlValues, _ buffers: borrowing BufferQueue) throws(SystemError) {
        try requests[index].reinitialize()
        try controls.put(values, into: requests[index])
        try buffers.queue(index, requests[index])
    }
}
