import Synchronization
import UnixSignals

/// A command's work that Ctrl-C ends cleanly.
package enum Interruptible {
    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }

    /// Runs the work; SIGINT, SIGTERM or SIGHUP asks it to end.
    ///
    /// - Parameter stop: makes the work return or throw soon.
    /// - Returns: whether a signal arrived.
    package static func run(stop: @escaping @Sendable () -> Void, _ body: () async throws -> Void) async throws -> Bool
    {
        let isInterrupted = Flag()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let watcher = Task {
            for await _ in signals {
                isInterrupted.isSet.withLock { $0 = true }
                stop()
            }
        }
        defer { watcher.cancel() }
        do {
            try await body()
        } catch {
            // An error that the stop provoked is not a failure of the work.
            guard isInterrupted.isSet.withLock({ $0 }) else { throw error }
        }
        return isInterrupted.isSet.withLock { $0 }
    }
}
