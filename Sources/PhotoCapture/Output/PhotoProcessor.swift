import CaptureModel
import PhotoEncoding
import Posix
import Synchronization

/// Encodes the taken frames one after the other, off the camera's thread, and pays the photos that are owed.
///
/// A photo is made only once the one before has been taken: with a slow disk, files must not pile up in memory.
final class PhotoProcessor: Sendable {
    private enum Job: Sendable {
        case process(JudgedFrame)
        case fail(ActiveCapture, step: Int, CaptureError)
        case finish(ActiveCapture)
    }

    private let jobs: AsyncStream<Job>.Continuation

    /// - Parameters:
    ///   - onProcessed: called when a frame's photos are made.
    ///   - onFinish: called after a capture's last event.
    init(
        software: String, calendar: any PhotoCalendar,
        onProcessed: @escaping @Sendable () -> Void,
        onFinish: @escaping @Sendable (ActiveCapture) async -> Void
    ) {
        // Unbounded, but never longer than the brackets that were accepted.
        let (stream, continuation) = AsyncStream<Job>.makeStream()
        jobs = continuation
        let builder = PhotoBuilder(software: software, calendar: calendar)
        Task.detached {
            for await job in stream {
                switch job {
                case .process(let frame):
                    let capture = frame.taken.capture
                    for format in capture.prepared.settings.formats {
                        await capture.deliver { builder.photo(frame, format, $0) }
                    }
                    onProcessed()
                case .fail(let capture, let step, let error):
                    for format in capture.prepared.settings.formats {
                        await capture.deliver { builder.failedPhoto(capture, step, format, $0, error) }
                    }
                case .finish(let capture):
                    capture.finish()
                    await onFinish(capture)
                }
            }
        }
    }

    deinit {
        jobs.finish()
    }

    func process(_ frame: JudgedFrame) {
        jobs.yield(.process(frame))
    }

    func fail(_ capture: ActiveCapture, _ step: Int, _ error: CaptureError) {
        jobs.yield(.fail(capture, step: step, error))
    }

    func finish(_ capture: ActiveCapture) {
        jobs.yield(.finish(capture))
    }
}
