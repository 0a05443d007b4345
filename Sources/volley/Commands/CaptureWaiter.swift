import CaptureModel
import Foundation
import Programs
import RigProtocol
import RigTransport

/// Follows a capture to its end.
struct CaptureWaiter {
    let client: OperatorClient

    /// Waits for a capture to end, and for a coordinator that is away meanwhile.
    ///
    /// - Returns: the capture as the catalogue has it in the end.
    func follow(_ id: UniqueID) async throws -> CaptureDetail {
        let interrupt = Self.onInterrupt {
            "Capture \(id) goes on; follow it with `volley show \(id)`, or stop it with `volley cancel \(id)`."
        }
        defer { interrupt.cancel() }
        return try await poll(id)
    }

    /// On Ctrl-C, says what goes on without this command, and exits.
    static func onInterrupt(_ words: @escaping @Sendable () -> String) -> any DispatchSourceSignal {
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        signal(SIGINT, SIG_IGN)
        interrupt.setEventHandler {
            Output.words("\n" + words())
            exit(130)
        }
        interrupt.resume()
        return interrupt
    }

    /// The same, without the message on Ctrl-C.
    func poll(_ id: UniqueID) async throws -> CaptureDetail {
        var bar = ProgressBar()
        defer { bar.finish() }
        var feed = try await patiently(id) { _ in try await NewsFeed(client) }
        defer { feed.close() }
        // It may have ended before anybody listened; from here on the news says so.
        var summary = try await show(id).summary
        let trouble = Task { await tellTrouble(id) }
        defer { trouble.cancel() }
        while !summary.state.isFinal {
            bar.show(summary.storedPhotoCount, of: summary.expectedPhotoCount, summary.state.rawValue)
            switch try await feed.next() {
            case .away:
                Output.words(
                    "No coordinator answers at \(client.place). Capture \(id) goes on; waiting for it.")
            case .news(.capture(let notice)) where notice.uniqueID == id:
                summary.state = notice.state
                summary.storedPhotoCount = notice.storedPhotoCount
            // Its catalogue may be a different one, which publishes nothing about what it took from an archive.
            case .back: summary = try await show(id).summary
            case .news: continue
            }
        }
        // The outcome may have been revised meanwhile: what the catalogue says counts.
        return try await show(id)
    }

    /// Says from time to time what a capture is waiting for, each thing once.
    private func tellTrouble(_ id: UniqueID) async {
        var told: Set<String> = []
        var library = LibraryTeller()
        var turn = 0
        while (try? await Task.sleep(for: .seconds(3))) != nil {
            await library.look(client)
            turn += 1
            guard turn % 3 == 0, let capture = try? await client.ask(ShowRequest(uniqueID: id)).capture,
                let nodes = try? await client.ask(NodesRequest()).nodes
            else { continue }
            let trouble = Trouble(of: capture, nodes)
            if trouble.causes != told { for line in trouble.lines { Output.words(line.printableLine) } }
            told = trouble.causes
        }
    }

    private func show(_ id: UniqueID) async throws -> CaptureDetail {
        try await patiently(id) { try await client.ask(ShowRequest(uniqueID: id), seconds: $0).capture }
    }

    /// Asks until there is an answer, which may take several seconds.
    private func patiently<Answer>(
        _ id: UniqueID, _ ask: (_ seconds: Double) async throws -> Answer
    ) async throws -> Answer {
        // In seconds; longer each time, so that a coordinator that is merely slow gets to answer.
        var patience = 10.0
        var told = ""
        while true {
            do {
                return try await ask(patience)
            } catch let error as OperatorClient.ClientError where error.isPassing {
                patience = min(60, 2 * patience)
                // The coordinator or its catalogue is away or busy; the capture goes on.
                if told != error.description { Output.words("\(error) Capture \(id) goes on; waiting for it.") }
                told = error.description
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}

extension OperatorClient.ClientError {
    /// Whether the same question may be answered later.
    fileprivate var isPassing: Bool {
        switch self {
        case .unreachable: true
        case .refused(let refusal): refusal.code == .tryAgain
        case .keyRefused, .wire: false
        }
    }
}
