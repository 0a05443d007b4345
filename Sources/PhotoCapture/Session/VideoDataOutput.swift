import CaptureModel
import PhotoEncoding
import Synchronization

/// Every frame of a running camera, for previews and analysis. Apple: `AVCaptureVideoDataOutput`.
///
/// Frames are copied into a pool of bounded size: a reader who does not let go of them is told of a drop instead of
/// getting the next one. While a bracket is exposed, frames may be dropped for its sake.
public final class VideoDataOutput: DeviceOutput {
    /// Why a frame is missing. Apple: `AVCaptureOutput.DataDroppedReason`.
    public enum DropReason: String, Hashable, Sendable {
        /// A newer one had arrived before it could be handed on.
        case lateData
        /// All frames of the pool are still held.
        case outOfBuffers
        /// The driver lost it, or a bracket had the camera to itself.
        case discontinuity
    }

    /// A frame, or the news that one is missing.
    public enum Output: Sendable {
        case frame(VideoFrame)
        /// This many frames in a row are missing, for this reason.
        case dropped(DropReason, count: Int)
    }

    private struct State {
        var held = 0
        var lastSequence: UInt32?
        var readers: [Int: AsyncStream<Output>.Continuation] = [:]
        var nextID = 0
        /// Readers whose frames end with the camera's.
        var ending: Set<Int> = []
    }

    private let poolSize: Int
    private let pool = FramePool()
    private let state = Mutex(State())

    /// - Parameter poolSize: the number of frames that may be held at once.
    public init(poolSize: Int = 4) {
        self.poolSize = poolSize
    }

    /// The frames from now on, in order.
    ///
    /// - Parameter isEndless: whether to continue once a camera that has stopped or failed is back.
    public func frames(isEndless: Bool = true) -> AsyncStream<Output> {
        // The pool bounds what can wait here.
        let (stream, continuation) = AsyncStream<Output>.makeStream(bufferingPolicy: .bufferingOldest(poolSize * 2))
        let id = state.withLock { state in
            state.nextID += 1
            state.readers[state.nextID] = continuation
            if !isEndless { state.ending.insert(state.nextID) }
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                state.readers[id] = nil
                state.ending.remove(id)
            }
        }
        return stream
    }

    func connect(to device: CaptureDevice) {
        device.add(self)
    }

    func deviceDidOutput(_ frame: DeviceFrame) {
        // Yielded outside the lock: a frame that its reader has no room for is released there and then.
        let (outputs, readers) = state.withLock { state in
            state.readers.isEmpty ? ([], []) : (news(of: frame, &state), Array(state.readers.values))
        }
        for output in outputs { for reader in readers { reader.yield(output) } }
    }

    private func news(of frame: DeviceFrame, _ state: inout State) -> [Output] {
        let missing = state.lastSequence.map { Int(frame.info.sequence &- $0) - 1 } ?? 0
        state.lastSequence = frame.info.sequence
        let gap: [Output] = missing > 0 ? [.dropped(.discontinuity, count: missing)] : []
        if frame.isHeld || frame.info.isError { return gap + [.dropped(.discontinuity, count: 1)] }
        if frame.info.isBehind { return gap + [.dropped(.lateData, count: 1)] }
        guard state.held < poolSize else { return gap + [.dropped(.outOfBuffers, count: 1)] }
        state.held += 1
        let video = VideoFrame(
            info: frame.info, exposure: frame.values.exposure, contents: frame.buffer.contents(pool)
        ) { [weak self] in
            self?.state.withLock { $0.held -= 1 }
        }
        return gap + [.frame(video)]
    }

    func deviceDidFail(_ error: CaptureError) { pause() }

    func deviceDidStop(_ error: CaptureError) { pause() }

    /// Frame numbers begin anew with the next start.
    private func pause() {
        let ending = state.withLock { state in
            state.lastSequence = nil
            defer { state.ending = [] }
            return state.ending.compactMap { state.readers[$0] }
        }
        ending.forEach { $0.finish() }
    }
}
