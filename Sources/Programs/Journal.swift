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

/// Logs an entry per message in the journal's own protocol, with each piece of metadata as a field to search by:
/// `journalctl VOLLEY_CAPTURE=...`; a line that the journal does not take that way goes to standard error.
///
/// The protocol: <https://systemd.io/JOURNAL_NATIVE_PROTOCOL/>.
struct JournalLogHandler: LogHandler {
    /// The program's name.
    let label: String
    var socket = "/run/systemd/journal/socket"
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let words = ["\(event.message)", event.error.map { "\($0)" }].compactMap(\.self).joined(separator: " ")
        let line = words.printableLine
        let fields = ["MESSAGE=\(line)", "PRIORITY=\(Journal.priority(event.level))", "SYSLOG_IDENTIFIER=\(label)"]
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        // A value of several lines would need another form: there is none.
        let more = all.map { "VOLLEY_\($0.key.uppercased())=\("\($0.value)".printableLine)" }
        let entry = (fields + more.sorted()).map { $0 + "\n" }.joined()
        if !LocalDatagram.send(Array(entry.utf8), to: socket) { Output.words(Journal.prefix(event.level) + line) }
    }
}
