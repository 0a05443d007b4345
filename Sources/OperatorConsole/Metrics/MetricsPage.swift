import Hummingbird
import HummingbirdCore
package import Logging
import RigProtocol
package import RigTransport

/// The rig's numbers for Prometheus, over HTTP.
package enum MetricsPage {
    /// Answers until a signal comes.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - ready: called once it listens.
    package static func serve(
        _ client: OperatorClient, host: String, port: Int, logger: Logger, ready: @escaping @Sendable () -> Void
    ) async throws {
        let router = Router()
        router.get("/") { _, _ in "Volley's numbers for Prometheus are at /metrics.\n" }
        router.get("metrics") { _, _ in await response(of: client) }
        // Whoever connects and says nothing does not stay.
        let strangers = StrangerDesk()
        let application = Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [StrangerWatch(strangers)], idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname(host.filter { $0 != "[" && $0 != "]" }, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(256)),
            onServerRunning: { _ in ready() }, logger: logger)
        try await application.runService()
    }

    /// A coordinator that does not answer is a scrape that failed, which Prometheus notices.
    private static func response(of client: OperatorClient) async -> Response {
        do {
            // Prometheus waits for ten seconds, unless it is told otherwise.
            let families = try await client.ask(MetricsRequest(), seconds: 8).families
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: families.text + "\n")))
        } catch {
            return Response(
                status: .serviceUnavailable, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(error)\n")))
        }
    }
}
