import CaptureModel
import Catalogue
import Documents
import Foundation
import Logging
import Posix
import Programs
import RigConfiguration
import RigProtocol
import RigRules
import Synchronization

/// Runs what the configuration names after each capture: one after the other, each within its time.
///
/// It stands beside the rig: what hangs or fails here holds up nothing, and is told of in the log.
final class Hooks: Sendable {
    private struct Hook {
        /// As the configuration calls it.
        let name: String
        /// For a shell.
        let command: String
    }

    private let hooks: [Hook]
    private let seconds: Int
    private let logger: Logger
    private let queue = Mutex(HookQueue())
    /// Whether what runs is to be ended.
    private let isOver = Atomic(false)
    private let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Throws: ``ConfigurationError`` for a URL that is none, or where there is nothing to call it with.
    init(_ settings: Settings, _ logger: Logger) throws {
        self.logger = logger
        seconds = try settings.integer("hooks.seconds", in: 1...3600) ?? 60
        var hooks: [Hook] = []
        if let command = settings.text("hooks.program") { hooks.append(Hook(name: "hooks.program", command: command)) }
        let url = try settings.value("hooks.url", wanted: "a URL that begins with http:// or https://") { text in
            text.hasPrefix("http://") || text.hasPrefix("https://") ? text : nil
        }
        if let url {
            guard try ShellCommand.run("command -v curl >/dev/null") == 0 else {
                throw ConfigurationError(
                    place: "hooks.url", message: "there is no curl here to call it with; install it")
            }
            let words = [
                "-fsS", "--retry", "3", "--retry-connrefused", "--max-time", "\(seconds)", "-o", "/dev/null", "-w",
                "%{http_code}", "-H", "Content-Type: application/json", "--data-binary", "@-", "--", url,
            ]
            // One that leads elsewhere was not called: who would follow it tells somebody else.
            let call = "answer=$(curl \(words.map(ShellCommand.quoted).joined(separator: " "))) || exit"
            let judge =
                "case $answer in 2??) ;; *) echo \"hooks.url: it answers $answer; name the URL that it leads to\" >&2; "
                + "exit 22 ;; esac"
            hooks.append(Hook(name: "hooks.url", command: "\(call)\n\(judge)"))
        }
        self.hooks = hooks
    }

    /// Notes what happens to captures; never waits.
    func take(_ notice: Notice) {
        guard !hooks.isEmpty else { return }
        if let id = queue.withLock({ $0.take(notice) }) {
            logger.error("hooks: too many captures wait for them; they are not run for capture \(id)")
        }
        wake.yield()
    }

    /// Runs until it is cancelled, which ends what runs.
    func run(_ catalogue: Catalogue) async {
        await withTaskCancellationHandler {
            for await _ in wakes {
                while !Task.isCancelled, let next = queue.withLock({ $0.next() }) { await run(next, catalogue) }
            }
        } onCancel: {
            isOver.store(true, ordering: .relaxed)
        }
    }

    private func run(_ entry: HookQueue.Entry, _ catalogue: Catalogue) async {
        let about: Logger.Metadata = ["capture": "\(entry.uniqueID)"]
        do {
            guard let capture = try await catalogue.capture(entry.uniqueID) else { return }
            let document = Array((JSONText.of(CaptureDocument(capture)) + "\n").utf8)
            let variables = "export VOLLEY_CAPTURE=\(entry.uniqueID) VOLLEY_STATE=\(entry.state.rawValue)\n"
            for hook in hooks where !isOver.load(ordering: .relaxed) {
                let status = try await OSThread.run(name: "hook") { [self] in
                    try ShellCommand.run(
                        variables + hook.command, input: document, limit: .seconds(Int64(seconds))
                    ) { isOver.load(ordering: .relaxed) }
                }
                guard let status else {
                    let why = Task.isCancelled ? "runs longer than the coordinator" : "took longer than \(seconds) s"
                    logger.error("\(hook.name) \(why) for capture \(entry.uniqueID), and was ended", metadata: about)
                    continue
                }
                guard status != 0 else { continue }
                logger.error(
                    "\(hook.name) failed for capture \(entry.uniqueID): exit status \(status)", metadata: about)
            }
        } catch {
            logger.error("no hooks were run for capture \(entry.uniqueID): \(error)", metadata: about)
        }
    }
}
