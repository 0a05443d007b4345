import Synchronization

/// The events of one capture, in order; ends after `didFinishCapture`. For one reader.
///
/// A photo is made only once its reader has asked for more after the one before, so that what is not yet written
/// does not pile up. A reader who goes away holds nothing up.
public struct PhotoCaptureEvents: AsyncSequence, Sendable {
    /// An event with its time.
    public typealias Element = TimedPhotoCaptureEvent

    /// How many photos may be made ahead of their reader.
    private static let room = 1

    final class Continuation: Sendable {
        private struct State {
            var untaken = 0
            var isAbandoned = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let stream: AsyncStream<TimedPhotoCaptureEvent>.Continuation
        private let state = Mutex(State())

        fileprivate init(_ stream: AsyncStream<TimedPhotoCaptureEvent>.Continuation) {
            self.stream = stream
            stream.onTermination = { [weak self] _ in self?.abandon() }
        }

        func yield(_ event: TimedPhotoCaptureEvent) {
            if case .didFinishProcessingPhoto = event.event { state.withLock { $0.untaken += 1 } }
            stream.yield(event)
        }

        func finish() { stream.finish() }

        /// Returns when another photo may be made.
        func waitForRoom() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.untaken >= room, !state.isAbandoned else { return true }
                    state.waiter = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        }

        /// The reader is done with what it was given before.
        fileprivate func taken(_ event: TimedPhotoCaptureEvent?) {
            guard case .didFinishProcessingPhoto = event?.event else { return }
            state.withLock { state in
                state.untaken -= 1
                return state.waiter.take()
            }?.resume()
        }

        private func abandon() {
            state.withLock { state in
                state.isAbandoned = true
                return state.waiter.take()
            }?.resume()
        }
    }

    private let stream: AsyncStream<TimedPhotoCaptureEvent>
    private let continuation: Continuation

    static func makeStream() -> (PhotoCaptureEvents, Continuation) {
        let (stream, raw) = AsyncStream<TimedPhotoCaptureEvent>.makeStream()
        let continuation = Continuation(raw)
        return (PhotoCaptureEvents(stream: stream, continuation: continuation), continuation)
    }

    /// For the one reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), continuation: continuation)
    }

    /// Gives the events to their reader.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<TimedPhotoCaptureEvent>.Iterator
        fileprivate let continuation: Continuation
        private var last: TimedPhotoCaptureEvent?

        fileprivate init(base: AsyncStream<TimedPhotoCaptureEvent>.Iterator, continuation: Continuation) {
            self.base = base
            self.continuation = continuation
        }

        /// The next event; nil after `didFinishCapture`.
        public mutating func next() async -> TimedPhotoCaptureEvent? {
            continuation.taken(last.take())
            last = await base.next()
            return last
        }
    }
}
