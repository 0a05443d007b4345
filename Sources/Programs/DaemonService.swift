package import Logging
import Posix
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A daemon's work, with a graceful shutdown.
package struct DaemonService: Service {
    private let body: @Sendable () async throws -> Void
    private let stop: @Sendable () async -> Void

    /// - Parameters:
    ///   - run: the work; returns after `stop`.
    ///   - stop: asks it to end, on SIGTERM or SIGINT.
    package init(
        run: @escaping @Sendable () async throws -> Void, stop: @escaping @Sendable () async -> Void
    ) {
        body = run
        self.stop = stop
    }

    /// Runs the work; a graceful shutdown of the service group asks it to end.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await body()
        } onGracefulShutdown: {
            Task { await stop() }
        }
    }

    /// How long the work may take to end, in seconds.
    private static let patience: Int64 = 15

    /// Runs the work until SIGTERM or SIGINT, and gives it fifteen seconds to end then.
    package func runUntilSignal(logger: Logger) async throws {
        let asked = Mutex<Int64?>(nil)
        let service = DaemonService(run: body) { [stop] in
            logger.notice("shutting down")
            asked.withLock { $0 = Clocks.monotonicNanoseconds() }
            await stop()
        }
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(Self.patience)
        try await ServiceGroup(configuration: configuration).run()
        let took = asked.withLock { $0 }.map { Clocks.monotonicNanoseconds() - $0 } ?? 0
        guard took < Self.patience * 1_000_000_000 else {
            return logger.warning("stopped in the middle of its work, which did not end within \(Self.patience) s")
        }
        logger.notice("stopped")
    }
}
