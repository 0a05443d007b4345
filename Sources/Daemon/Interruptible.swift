import Synchronization
import UnixSignals

/// Work of a command that Ctrl-C ends in order.
package enum Interruptible {
    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }

    /// Runs it; the first SIGINT, SIGTERM or SIGHUP asks it to end.
    ///
    /// - Parameter stop: makes the work return or throw soon.
    /// - Returns: whether a signal came.
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
            // What a stop makes of the work is not its failure.
            guard isInterrupted.isSet.withLock({ $0 }) else { throw error }
        }
        return isInterrupted.isSet.withLock { $0 }
    }
}
