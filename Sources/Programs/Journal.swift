import CaptureModel
import FoundationEssentials
import Glibc
import Logging

/// The journal of systemd, where a daemon's standard error leads to it: the journal keeps the time itself.
package enum Journal {
    /// Whether standard error leads to the journal: it is the stream that `JOURNAL_STREAM` names (`systemd.exec(5)`).
    package static let isStandardError = isStream(
        STDERR_FILENO, ProcessInfo.processInfo.environment["JOURNAL_STREAM"])

    package static func isStream(_ descriptor: CInt, _ name: String?) -> Bool {
        var status = stat()
        guard let name, fstat(descriptor, &status) == 0 else { return false }
        return name == "\(status.st_dev):\(status.st_ino)"
    }

    /// The prefix of a line that gives it this priority (`sd-daemon(3)`).
    static func prefix(_ level: Logger.Level) -> String { "<\(priority(level))>" }

    /// The priority in the sense of `syslog(3)`.
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// Logs an entry per message in the journal's own protocol, with what the message is about as fields to search by:
/// `journalctl VOLLEY_CAPTURE=...`.
///
/// Whatever the journal does not take at once goes to standard error, which has a buffer of its own: no program on this
/// machine that floods the journal holds up ours. The protocol: <https://systemd.io/JOURNAL_NATIVE_PROTOCOL/>.
struct JournalLogHandler: LogHandler {
    /// The unit's, where it has one of its own.
    private let identifier: String
    private let socket: String
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(
        label: String, socket: String = "/run/systemd/journal/socket",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        identifier = environment["SYSLOG_IDENTIFIER"] ?? label
        self.socket = socket
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = all.details.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let words = ["\(event.message)"] + details + [event.error.map { "\($0)" }].compactMap(\.self)
        let line = words.joined(separator: " ").printableLine
        let fields = [
            "MESSAGE=\(line)", "PRIORITY=\(Journal.priority(event.level))", "SYSLOG_IDENTIFIER=\(identifier)",
        ]
        // A value of several lines would need another form: there is none.
        let subjects = all.subjects.map { "VOLLEY_\($0.key.uppercased())=\("\($0.value)".printableLine)" }
        let entry = (fields + subjects.sorted()).map { $0 + "\n" }.joined()
        if !LocalDatagram.send(Array(entry.utf8), to: socket, waits: false) {
            Output.words(Journal.prefix(event.level) + line)
        }
    }
}

extension Logger.Metadata {
    /// What our messages are about, and say themselves in their words.
    private static let subjectKeys: Set = ["node", "capture", "operator"]

    var subjects: Self { filter { Self.subjectKeys.contains($0.key) } }

    /// What libraries add to their messages.
    var details: Self { filter { !Self.subjectKeys.contains($0.key) } }
}
