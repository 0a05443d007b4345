package import Logging
import ServiceLifecycle
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

    /// Runs the work until SIGTERM or SIGINT, and gives it ten seconds to end then.
    package func runUntilSignal(logger: Logger) async throws {
        let service = DaemonService(run: body) { [stop] in
            logger.notice("asked to end; what is under way is brought to rest")
            await stop()
        }
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: configuration).run()
        logger.notice("ended")
    }
}
