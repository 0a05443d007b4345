package import Logging
import ServiceLifecycle
import UnixSignals

/// A daemon's work with its orderly end.
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

    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await body()
        } onGracefulShutdown: {
            Task { await stop() }
        }
    }

    /// Runs it until a signal asks for the end.
    package func runUntilSignal(logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// The exit statuses of all programs: the capture's outcome, else those of `sysexits.h`.
package enum ExitStatus {
    package static let done: Int32 = 0
    package static let failed: Int32 = 1
    package static let partial: Int32 = 2
    package static let usage: Int32 = 64
    package static let badPlan: Int32 = 65
    package static let unavailable: Int32 = 69
    package static let inputOutput: Int32 = 74
    package static let tryAgain: Int32 = 75
    package static let notAllowed: Int32 = 77
    package static let badConfiguration: Int32 = 78
    /// As a shell says of a program that Ctrl-C ended.
    package static let interrupted: Int32 = 130
}
